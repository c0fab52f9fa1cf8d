/* How many processes somebody has, for a limit of so many more. */
#include "processes.h"

#include "fault.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_END = 1 << 22 }; /* no Linux has as many */

/* Whether one more may be born within a limit; it ends at once. */
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

/* The least limit within which one more may be born: what there is, and one. By trying, for no file tells: the kernel
 * counts threads, and a uid's processes in all containers, most of which /proc does not show to one of them. A few
 * dozen tries, most of them refused before there is anything to end. */
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

/* For a person's uid, whose desktop and editor count as well: a limit for the program that leaves them theirs. Never
 * more than we have ourselves. */
void limit_processes(struct run *run)
{
    struct rlimit usual = {0};
    if (!run->plan.given[SPARE_PROCESSES])
        return;
    if (getrlimit(RLIMIT_NPROC, &usual) != 0)
        die(run, "getrlimit", errno, NULL);
    const rlim_t end = usual.rlim_cur < PROCESSES_END ? usual.rlim_cur : PROCESSES_END;
    const rlim_t wanted = lowest_limit(end, usual.rlim_max) - 1 + (rlim_t)run->plan.number[SPARE_PROCESSES];
    if (setrlimit(RLIMIT_NPROC, &usual) != 0)
        die(run, "setrlimit", errno, NULL);
    run->plan.number[PROCESSES] = (long long)(wanted < end ? wanted : end);
    run->plan.given[PROCESSES] = true;
}
