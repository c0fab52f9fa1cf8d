/* Harness: ends its parent's wait early with forged signals about a child. */
#include "attack.h"

static void inform(pid_t pid)
{
    siginfo_t details = {.si_signo = SIGCHLD, .si_code = CLD_EXITED};
    MUST_FAIL(syscall(SYS_rt_sigqueueinfo, pid, SIGCHLD, &details));
    MUST_FAIL(syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, pid, 0), SIGKILL, NULL, 0));
}

static void attack(void)
{
    for_each_stranger(inform);
    inform(getppid());
}
