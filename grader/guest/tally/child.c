/* The steps of the child, each with the danger that it prevents. */
#include "child.h"

#include "guard.h"
#include "landlock.h"
#include "tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TROUBLE_BYTES = 200 };

/* A program in our session could signal the guest's process group and take its terminal. */
static int start_session(const struct plan *plan)
{
    (void)plan;
    return setsid() < 0 && getsid(0) != getpid() ? -1 : 0;
}

/* When memory runs out, the kernel should pick the program, not the guest. This comes before the change of uid, which
 * gives our files in /proc to root. It is only a best effort: /proc may be read-only, or the file may belong to root
 * because tally's own file is not readable. The container's memory limit still holds then, and a killed guest is
 * noticed from outside. */
static int raise_oom_score(const struct plan *plan)
{
    (void)plan;
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, "1000", 4);
        (void)close(fd);
    }
    return 0;
}

/* Files that the program creates are for its uid alone, whatever the guest's umask is. umask cannot fail. */
static int set_umask(const struct plan *plan)
{
    (void)plan;
    (void)umask(S_IRWXG | S_IRWXO);
    return 0;
}

/* On one CPU, times are comparable. A tracer and a tracee on two CPUs need many times as long for each stop. */
int pin_cpu(const struct plan *plan)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)plan->number[PIN_CPU], &cpus);
    return plan->given[PIN_CPU] ? sched_setaffinity(0, sizeof cpus, &cpus) : 0;
}

/* Root's groups could open the guest's files. This comes before the change of ids, because without uid 0 they cannot
 * be dropped any more. */
int drop_groups(const struct plan *plan)
{
    return plan->given[UID] ? setgroups(0, NULL) : 0;
}

/* Set all three ids, here and in `set_uid`: a program could switch back to a saved id. */
int set_gid(const struct plan *plan)
{
    const gid_t gid = (gid_t)plan->number[GID];
    return plan->given[UID] ? setresgid(gid, gid, gid) : 0;
}

int set_uid(const struct plan *plan)
{
    const uid_t uid = (uid_t)plan->number[UID];
    return plan->given[UID] ? setresuid(uid, uid, uid) : 0;
}

/* A program with a surviving capability could become root again. So the three calls above count as successful only if
 * the kernel reports the new ids and becoming root fails. */
int check_identity(const struct plan *plan)
{
    const uid_t uid = (uid_t)plan->number[UID];
    const gid_t gid = (gid_t)plan->number[GID];
    uid_t uids[3] = {0};
    gid_t gids[3] = {0};
    if (!plan->given[UID])
        return 0;
    if (getresuid(&uids[0], &uids[1], &uids[2]) != 0 || getresgid(&gids[0], &gids[1], &gids[2]) != 0)
        return -1;
    const bool is_other = uids[0] == uid && uids[1] == uid && uids[2] == uid && gids[0] == gid && gids[1] == gid &&
                          gids[2] == gid && getgroups(0, NULL) == 0;
    const bool is_final = setresgid(0, 0, 0) != 0 && setresuid(0, 0, 0) != 0;
    errno = EPERM;
    return is_other && is_final ? 0 : -1;
}

/* The program must not outlive its parent (tally or strace). This comes after the change of uid, which would undo it.
 * The parent may have ended before the request. */
static int die_with_parent(const struct plan *plan)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return -1;
    errno = ESRCH;
    return getppid() == plan->parent ? 0 : -1;
}

/* This happens as the program's uid, because root must not follow a path that the program may have prepared. */
static int change_directory(const struct plan *plan)
{
    return plan->given[CWD] ? chdir(plan->cwd) : 0;
}

static int close_one_by_one(const struct plan *plan)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry = NULL;
    long long fd = 0;
    if (folder == NULL)
        return -1;
    while ((entry = readdir(folder)) != NULL)
        if (parse_number(entry->d_name, &fd) && fd >= plan->first_closed_fd && fd != dirfd(folder))
            (void)close((int)fd);
    return closedir(folder);
}

/* A program that holds the report's descriptor could write its own report. Kernels before 5.9, and filters that do
 * not know close_range, need the second way. That way takes memory and a descriptor, so this step comes before the
 * limits. */
static int close_descriptors(const struct plan *plan)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, plan->first_closed_fd, ~0U, 0U) == 0)
        return 0;
#endif
    return close_one_by_one(plan);
}

/* Against endless loops, floods, fork bombs and full disks; and a program has the same limits whatever the shell has
 * set. Soft and hard limits are equal, so that the program cannot raise its own, with two exceptions. CPU time: SIGXCPU
 * at N shows the reason, and SIGKILL at N+1 is for programs that ignore it. Stack: its address space limits it anyway,
 * and on ordinary machines a program may raise it. CPU time counts per process, output per file and not for pipes, and
 * processes per uid in all containers. There is never a core file. The address space limits the data too.
 *
 * What has no option is what every machine allows, old ones too. Left out is what has no effect: the kernel ignores
 * RLIMIT_RSS and RLIMIT_LOCKS, and RLIMIT_RTTIME is for priorities that no program here gets. */
static const struct {
    int resource;
    enum option option; /* OPTIONS if there is none */
    rlim_t usual;       /* without the option; RLIM_INFINITY is as much as the machine allows */
    rlim_t grace;       /* the hard limit is so much higher; RLIM_INFINITY leaves the machine's */
    bool is_highest;    /* no ordinary user has more on any machine */
    const char *name;
} limits[] = {
    {RLIMIT_CPU, CPU_S, RLIM_INFINITY, 1, false, "CPU seconds (ulimit -Ht)"},
    {RLIMIT_AS, MEMORY_BYTES, RLIM_INFINITY, 0, false, "bytes of address space (ulimit -Hv)"},
    {RLIMIT_DATA, MEMORY_BYTES, RLIM_INFINITY, 0, false, "bytes of data (ulimit -Hd)"},
    {RLIMIT_STACK, STACK_BYTES, 8 << 20, RLIM_INFINITY, false, "bytes of stack (ulimit -Hs)"},
    {RLIMIT_FSIZE, OUTPUT_BYTES, RLIM_INFINITY, 0, false, "bytes in a file (ulimit -Hf)"},
    {RLIMIT_NOFILE, OPEN_FILES, RLIM_INFINITY, 0, false, "open files (ulimit -Hn)"},
    {RLIMIT_NPROC, PROCESSES, RLIM_INFINITY, 0, false, "processes (ulimit -Hu)"},
    {RLIMIT_CORE, OPTIONS, 0, 0, false, "bytes in a core file (ulimit -Hc)"},
    {RLIMIT_MEMLOCK, OPTIONS, 64 << 10, 0, false, "bytes of locked memory (ulimit -Hl)"},
    {RLIMIT_SIGPENDING, OPTIONS, 1024, 0, false, "pending signals (ulimit -Hi)"},
    {RLIMIT_MSGQUEUE, OPTIONS, 819200, 0, true, "bytes in message queues (ulimit -Hq)"},
    {RLIMIT_NICE, OPTIONS, 0, 0, true, "nice values (ulimit -He)"},
    {RLIMIT_RTPRIO, OPTIONS, 0, 0, true, "real-time priorities (ulimit -Hr)"},
};

static rlim_t soft_limit(const struct plan *plan, size_t i)
{
    const enum option option = limits[i].option;
    return option != OPTIONS && plan->given[option] ? (rlim_t)plan->number[option] : limits[i].usual;
}

/* Return what the program gets on a machine with this hard limit. */
static struct rlimit program_limit(const struct plan *plan, size_t i, rlim_t most)
{
    const rlim_t soft = soft_limit(plan, i);
    if (soft == RLIM_INFINITY)
        return (struct rlimit){most, most};
    if (limits[i].grace == RLIM_INFINITY)
        return (struct rlimit){soft, soft > most ? soft : most};
    return (struct rlimit){soft, soft + limits[i].grace};
}

static int set_limits(const struct plan *plan)
{
    for (size_t i = 0; i < LENGTH(limits); i++) {
        struct rlimit now = {0};
        if (getrlimit(limits[i].resource, &now) != 0)
            return -1;
        const struct rlimit limit = program_limit(plan, i, now.rlim_max);
        if ((limit.rlim_cur != now.rlim_cur || limit.rlim_max != now.rlim_max) &&
            setrlimit(limits[i].resource, &limit) != 0)
            return -1;
    }
    return 0;
}

/* Find the limits that the program gets; return false if they are what the machine allows, or not lower anywhere. */
bool find_limit(const struct plan *plan, unsigned long long resource, struct rlimit *limit)
{
    struct rlimit ours = {0};
    size_t i = 0;
    while (i < LENGTH(limits) && resource != (unsigned long long)limits[i].resource)
        i++;
    if (i == LENGTH(limits) || limits[i].is_highest || soft_limit(plan, i) == RLIM_INFINITY ||
        getrlimit(limits[i].resource, &ours) != 0)
        return false;
    *limit = program_limit(plan, i, ours.rlim_max);
    return true;
}

/* Without this a set-user-ID file would give the program another uid. Landlock and the guard need it too. */
static int set_no_new_privs(const struct plan *plan)
{
    (void)plan;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Ignored and blocked signals survive execve: Python ignores SIGPIPE, and tally blocks all signals. EINVAL is for
 * SIGKILL, SIGSTOP, and the two signals that the C library reserves for itself. */
static int reset_signals(const struct plan *plan)
{
    const struct sigaction defaults = {.sa_handler = SIG_DFL};
    sigset_t none;
    (void)plan;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, &defaults, NULL) != 0 && errno != EINVAL)
            return -1;
    return sigemptyset(&none) != 0 ? -1 : sigprocmask(SIG_SETMASK, &none, NULL);
}

static const struct {
    const char *name; /* the "step" of a fault */
    int (*run)(const struct plan *plan);
} steps[] = {
    {"setsid", start_session},
    {"oom_score_adj", raise_oom_score},
    {"umask", set_umask},
    {"sched_setaffinity", pin_cpu},
    {"setgroups", drop_groups},
    {"setresgid", set_gid},
    {"setresuid", set_uid},
    {"check_identity", check_identity},
    {"pdeathsig", die_with_parent},
    {"chdir", change_directory},
    {"close_range", close_descriptors},
    {"no_new_privs", set_no_new_privs},
    {"landlock", confine_writing}, /* before the limits, because it needs descriptors */
    {"setrlimit", set_limits},
    {"signals", reset_signals},
    {"seccomp", install_guard}, /* last, because it refuses calls that the other steps need */
};
const int STEPS = LENGTH(steps);
const int BEFORE_START = LENGTH(steps) - 1; /* the last step waits until tally is ready for the stops */

const char *step_name(int step)
{
    return steps[step].name;
}

/* Return more about the failure of a step than its errno, or NULL: which hard limit of this machine is too low. The
 * child's were ours. */
const char *step_trouble(const struct plan *plan, int step)
{
    static char words[TROUBLE_BYTES];
    for (size_t i = 0; steps[step].run == set_limits && i < LENGTH(limits); i++) {
        struct rlimit ours = {0};
        if (getrlimit(limits[i].resource, &ours) != 0)
            continue;
        const rlim_t needed = program_limit(plan, i, ours.rlim_max).rlim_max;
        (void)snprintf(words, sizeof words, "this machine allows %llu %s, and %llu are needed",
                       (unsigned long long)ours.rlim_max, limits[i].name, (unsigned long long)needed);
        if (needed > ours.rlim_max)
            return words;
    }
    return NULL;
}

/* Return the number of the step that failed, with errno set, or `end`. */
int run_steps(const struct plan *plan, int first, int end)
{
    int step = first;
    while (step < end && steps[step].run(plan) == 0)
        step++;
    return step;
}
