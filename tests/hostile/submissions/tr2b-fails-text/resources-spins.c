/* Resources: uses the processor without end. */
#include "attack.h"

static void attack(void)
{
    for (;;)
        continue;
}
