/* Resources: ignores SIGTERM and every other signal that it can, and sleeps. */
#include "attack.h"

static void attack(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    sleep_for_long();
}
