/* Resources: uses the processor without end, and catches the signals of its limits. */
#include "attack.h"

static void attack(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    for (;;)
        continue;
}
