/* A limit of N more processes than a user has now. */
#include "processes.h"

#include "fault.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_END = 1 << 22 }; /* above the highest number of processes on any Linux */

/* Return whether one more process fits within a limit, by forking one that ends at once. */
static bool can_fork(rlim_t soft, rlim_t hard)
{
    const struct rlimit limit = {soft, hard};
    if (setrlimit(RLIMIT_NPROC, &limit) != 0)
        return false;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return pid > 0;
}

/* Find the lowest limit that allows one more process, which is the number of processes plus one. This tries, because
 * no file shows it: the kernel counts threads, and a uid's processes in all containers, most of which are not in the
 * /proc of one container. It takes a few dozen tries, and most are refused before a process exists. */
static rlim_t lowest_limit(rlim_t end, rlim_t hard)
{
    rlim_t too_few = 0;
    rlim_t enough = 1;
    while (enough < end && !can_fork(enough, hard)) {
        too_few = enough;
        enough *= 2;
    }
    while (enough - too_few > 1) {
        const rlim_t middle = too_few + (enough - too_few) / 2;
        if (can_fork(middle, hard))
            enough = middle;
        else
            too_few = middle;
    }
    return enough;
}

/* For a person's uid, whose desktop and editor count as well: the program's limit leaves theirs alone. It is never
 * higher than our own limit. */
void limit_processes(struct run *run)
{
    struct rlimit usual = {0};
    if (!run->plan.given[SPARE_PROCESSES])
        return;
    if (getrlimit(RLIMIT_NPROC, &usual) != 0)
        die(run, "getrlimit", errno, NULL);
    const rlim_t end = usual.rlim_cur < PROCESSES_END ? usual.rlim_cur : PROCESSES_END;
    const rlim_t ours = run->plan.number[MODE] == ACCOUNT ? 1 : 0; /* the thread of strays.c counts, too */
    const rlim_t wanted = lowest_limit(end, usual.rlim_max) - 1 + ours + (rlim_t)run->plan.number[SPARE_PROCESSES];
    if (setrlimit(RLIMIT_NPROC, &usual) != 0)
        die(run, "setrlimit", errno, NULL);
    run->plan.number[PROCESSES] = (long long)(wanted < end ? wanted : end);
    run->plan.given[PROCESSES] = true;
}
