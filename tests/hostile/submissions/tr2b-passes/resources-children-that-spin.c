/* Resources: leaves children that use up the processor. */
/* Where operands must be refused, because no calls are counted there. */
#define WHEN has_operands("abc", "xy")
#include "attack.h"

static void attack(void)
{
    for (int i = 0; i < 4; i++)
        if (fork() == 0)
            for (;;)
                continue;
}
