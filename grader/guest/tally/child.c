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
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Against endless loops, floods, fork bombs and full disks. Soft and hard limits are equal, so that the program
 * cannot raise its own. The exception is CPU time: SIGXCPU at N shows the reason, and SIGKILL at N+1 is for programs
 * that ignore it. CPU time counts per process, output per file and not for pipes, and processes per uid in all
 * containers. There is never a core file. */
static const struct {
    int resource;
    enum option option;
    rlim_t grace;
} limits[] = {
    {RLIMIT_CPU, CPU_S, 1},          {RLIMIT_AS, MEMORY_BYTES, 0},   {RLIMIT_STACK, STACK_BYTES, 0},
    {RLIMIT_FSIZE, OUTPUT_BYTES, 0}, {RLIMIT_NOFILE, OPEN_FILES, 0}, {RLIMIT_NPROC, PROCESSES, 0},
};

static int set_limits(const struct plan *plan)
{
    const struct rlimit no_core = {0, 0};
    if (setrlimit(RLIMIT_CORE, &no_core) != 0)
        return -1;
    for (size_t i = 0; i < LENGTH(limits); i++) {
        const rlim_t soft = (rlim_t)plan->number[limits[i].option];
        const struct rlimit limit = {soft, soft + limits[i].grace};
        if (plan->given[limits[i].option] && setrlimit(limits[i].resource, &limit) != 0)
            return -1;
    }
    return 0;
}

/* Find the limit that the program gets; return false if it keeps the machine's. */
bool find_limit(const struct plan *plan, unsigned long long resource, struct rlimit *limit)
{
    *limit = (struct rlimit){0, 0};
    for (size_t i = 0; i < LENGTH(limits); i++)
        if (resource == (unsigned long long)limits[i].resource && plan->given[limits[i].option]) {
            limit->rlim_cur = (rlim_t)plan->number[limits[i].option];
            limit->rlim_max = limit->rlim_cur + limits[i].grace;
            return true;
        }
    return resource == RLIMIT_CORE;
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

/* Return the number of the step that failed, with errno set, or `end`. */
int run_steps(const struct plan *plan, int first, int end)
{
    int step = first;
    while (step < end && steps[step].run(plan) == 0)
        step++;
    return step;
}
