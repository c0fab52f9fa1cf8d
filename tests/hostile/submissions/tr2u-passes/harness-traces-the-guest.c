/* Harness: attaches to every process as a tracer. */
#include "attack.h"

static void trace(pid_t pid)
{
    MUST_FAIL(ptrace(PTRACE_ATTACH, pid, NULL, NULL));
    MUST_FAIL(ptrace(PTRACE_SEIZE, pid, NULL, NULL));
}

static void attack(void)
{
    for_each_stranger(trace);
    trace(getppid());
    MUST_FAIL(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
