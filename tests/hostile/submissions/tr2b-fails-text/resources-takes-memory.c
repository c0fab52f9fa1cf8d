/* Resources: takes memory until it gets no more, and uses it. */
#include "attack.h"

static void attack(void)
{
    for (;;)
        memset(malloc(1 << 20), 1, 1 << 20);
}
