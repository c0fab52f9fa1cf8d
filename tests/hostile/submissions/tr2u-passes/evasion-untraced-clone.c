/* Evasion: makes children that a tracer does not follow, by clone and by clone3. */
#include "attack.h"

static long clone_with(unsigned long flags)
{
    const long pid = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        _exit(0);
    return pid;
}

static void attack(void)
{
    unsigned long long arguments[11] = {CLONE_UNTRACED};
    arguments[4] = SIGCHLD;
    MUST_FAIL(clone_with(CLONE_UNTRACED));
    MUST_FAIL(clone_with(CLONE_PTRACE));
    MUST_FAIL(clone_with(CLONE_NEWUSER));
    const long pid = syscall(435, arguments, sizeof arguments);
    if (pid == 0)
        _exit(0);
    MUST_FAIL(pid);
}
