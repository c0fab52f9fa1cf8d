/* Resources: leaves a daemon that ignores all signals and holds the output open. */
/* Where operands must be refused, because no calls are counted there. */
#define WHEN has_operands("abc", "xy")
#include "attack.h"

static void attack(void)
{
    if (fork() != 0)
        return;
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    sleep_for_long();
}
