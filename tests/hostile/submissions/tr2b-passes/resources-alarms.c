/* Resources: sends itself a signal every tenth of a millisecond while it copies. */
#include "attack.h"

static void nothing(int number)
{
    (void)number;
}

static void attack(void)
{
    const struct itimerval often = {{0, 100}, {0, 100}};
    const struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}
