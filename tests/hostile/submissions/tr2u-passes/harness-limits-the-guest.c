/* Harness: sets limits, priorities and processors of processes that are not its own. */
#include "attack.h"

static void limit(pid_t pid)
{
    static const struct rlimit least = {1, 1};
    const struct sched_param first = {1};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    MUST_FAIL(prlimit(pid, RLIMIT_CPU, &least, NULL));
    MUST_FAIL(prlimit(pid, RLIMIT_FSIZE, &least, NULL));
    MUST_FAIL(setpriority(PRIO_PROCESS, (id_t)pid, 19));
    MUST_FAIL(sched_setscheduler(pid, SCHED_FIFO, &first));
    MUST_FAIL(sched_setaffinity(pid, sizeof one, &one));
    MUST_FAIL(syscall(SYS_ioprio_set, 1, pid, 3 << 13));
}

static void attack(void)
{
    static const struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    for_each_stranger(limit);
    MUST_FAIL(setrlimit(RLIMIT_CPU, &more));
    MUST_FAIL(setrlimit(RLIMIT_FSIZE, &more));
    MUST_FAIL(setrlimit(RLIMIT_AS, &more));
    MUST_FAIL(setpriority(PRIO_PROCESS, 0, -20));
}
