/* Resources: writes output without end, and goes on when the limit is reached. */
#include "attack.h"

static void attack(void)
{
    static char data[1 << 16];
    signal(SIGXFSZ, SIG_IGN);
    for (;;)
        (void)!write(1, data, sizeof data);
}
