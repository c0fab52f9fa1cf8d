/* Harness: kills its parent, its tracer and every other process that it can name. */
#include "attack.h"

static void shoot(pid_t pid)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGSTOP, SIGUSR1, SIGCHLD, SIGCONT, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        MUST_FAIL(kill(pid, signals[i]));
    MUST_FAIL(syscall(SYS_tgkill, pid, pid, SIGKILL));
}

static void attack(void)
{
    shoot(getppid());
    for_each_stranger(shoot);
}
