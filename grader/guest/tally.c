/* tally: run one program with limits and a uid, and say on a private descriptor how it ended and what it cost.
 *
 *   tally --report-fd N --mode plain|account [options] -- PROGRAM [OPERAND...]
 *   tally --exec [options] -- PROGRAM [OPERAND...]
 *
 * PROGRAM is a path (PATH is not searched). The options stand in the table `rules`. Standard streams and environment
 * are passed on as they are.
 *
 * THEORY OF OPERATION
 *
 *     guest runner ── tally ─┬─ helper       only with --uid: waits for one order, to kill all that the uid has
 *                            └─ the program ── whatever it starts
 *
 * The helper is forked first, then the child that becomes the program. The child takes the steps of the table
 * `steps`, in that order, and says over a close-on-exec socket that it is ready. tally starts the clock and lets it
 * call execve. From then on tally sleeps until a signal: the program ended, an orphan is to be reaped, the wall limit
 * is reached, or tally is told to end. When the program's own process has ended, all that it left behind is killed
 * and reaped; then one JSON object is written to the report descriptor.
 *
 * Two failure channels, never mixed. What the program did is an "ending", and tally exits 0, however bad it is. What
 * failed on our side is a "fault", with a message on standard error and exit status 125; it says nothing about the
 * program. execve has both kinds: see `is_programs_fault`.
 *
 *   {"tally":1,"ending":ENDING,"wall_s":S,"user_s":S,"sys_s":S,"peak_memory_bytes":N,
 *    "accounting":null|{"reads":N,"writes":N,"read_bytes":N,"written_bytes":N}}
 *   ENDING: {"kind":"exited","code":N} | {"kind":"signalled","signal":N} | {"kind":"limit","limit":"cpu|wall|output"}
 *           | {"kind":"not_started","errno":N,"message":"..."}
 *   {"tally":1,"fault":{"step":"...","errno":N,"message":"..."}}
 *
 * There is no limit "memory": a program that meets RLIMIT_AS is refused memory and may do anything then, and a SIGKILL
 * from the kernel's out-of-memory killer looks like any other. The cgroup's counter knows; the guest reads it.
 *
 * With --exec tally takes the same steps in its own process and calls execve: no fork, no report, no wall limit. That
 * is for running beneath strace (`strace -f -o LOG tally --exec ...`), whose tracee has to be tally itself.
 *
 * Mode `account` takes two of the kernel's own totals (the numbers of /proc/PID/io) and reports their difference:
 *   - the program's, at the stop of its first execve. The kernel's reads of the program's file (3 to 6 of them) were
 *     counted before that stop; what is counted after it, the program did. The tracer detaches then and there: nothing
 *     costs time, signals and stops are the kernel's business, and a program that looks for a tracer finds none.
 *   - what is added to our own total when we reap the program: all that it, its threads and the children it waited for
 *     were counted for, however it ended. A read at PTRACE_EVENT_EXIT, compared with this, saw 0 of 100 writes that a
 *     thread made after the leading one had ended; and it, like a read from the zombie, was refused for a program that
 *     had made itself undumpable. Our own numbers nobody can refuse us.
 * Not counted: children that the program did not wait for, and calls that move bytes without read or write (mmap,
 * splice). Counted: the kernel's reads for a second execve. A program whose own uid may not read its file cannot be
 * read at its execve: null.
 *
 * Privileges: root that has no capability but SETUID, SETGID and KILL; or, without --uid, any user. PTRACE_SEIZE
 * happens while the child still has our uid, and needs none. One tally at a time for one uid, and a uid that has
 * nothing else to do: all its processes in our pid namespace and the ones below it are killed in the end.
 *
 * To come, each with its place marked: mode `filter` (a seccomp filter whose stops are counted), the guard (a seccomp
 * filter against ways around a tracer), following children and threads.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's switch */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum {
    FAULT_STATUS = 125,      /* as with env, timeout and docker */
    CHANNEL_FD = 3,          /* where the child keeps its end of the socket until execve closes it */
    PARENT_DIED = SIGUSR1,   /* what the kernel sends us when our parent has ended */
    STOP_TRIES = 100,        /* each a moment; what does not stop by then is killed with the rest */
    TEXT_BYTES = 1024,
};
static const long long SECOND_NS = 1000000000;
static const long long NAP_NS = 5000000;
static const long long PATIENCE_NS = 10 * SECOND_NS; /* for what takes milliseconds on a healthy machine */

enum option {
    REPORT_FD, MODE, EXEC, UID, GID, CWD, WALL_S, CPU_S, MEMORY_BYTES, STACK_BYTES, OUTPUT_BYTES, OPEN_FILES, PROCESSES,
    PIN_CPU, OPTIONS
};
enum mode { PLAIN, ACCOUNT, MODES }; /* place for FILTER */

/* What was asked for. */
struct plan {
    bool given[OPTIONS];
    long long number[OPTIONS];   /* WALL_S in nanoseconds, MODE as enum mode */
    const char *cwd;
    char **program;              /* its path and operands, as for execv */
    pid_t parent;                /* of the process that takes the steps */
    unsigned int first_spare_fd; /* this one and all above are closed before execve */
};

struct io {
    unsigned long long reads, writes, read_bytes, written_bytes;
};

/* What the child says over the socket. */
struct word {
    enum { READY, STEP_FAILED, EXEC_FAILED } kind;
    int step, error;
};

/* One run of one program, as tally sees it. */
struct run {
    struct plan plan;
    pid_t parent;                /* tally's own */
    int report_fd;
    bool has_children;
    pid_t helper, program;       /* 0: none, or none any more */
    int order;                   /* closing it is the order to the helper */
    int channel;                 /* our end of the socket */
    int io_fd;                   /* our own /proc/self/io */
    bool has_accounting, hit_wall;
    struct io accounting;        /* first what was counted before the program, then what it did */
    long long start_ns, deadline_ns, end_ns;
    int status;
    struct rusage usage;
    int exec_error;              /* errno of a failed execve, or 0 */
};

/* ---- small tools ---- */

static long long now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        abort(); /* not Linux */
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* Sleep until a child changes its state or a moment has passed. Every signal is blocked: see `prepare`. */
static void nap(void)
{
    const struct timespec moment = {.tv_nsec = NAP_NS};
    sigset_t child;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigtimedwait(&child, NULL, &moment);
}

/* One number, without a sign, spaces or anything after it. */
static bool to_whole(const char *text, long long *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

struct text {
    size_t used;
    char bytes[TEXT_BYTES];
};

/* Only constants and numbers are ever put in: nothing needs escaping, and all of it fits. */
__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    const size_t room = sizeof text->bytes - text->used;
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text->bytes + text->used, room, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= room)
        abort();
    text->used += (size_t)length;
}

static bool write_all(int fd, const struct text *text)
{
    for (size_t done = 0; done < text->used;) {
        const ssize_t length = write(fd, text->bytes + done, text->used - done);
        if (length < 0 && errno != EINTR)
            return false;
        done += length > 0 ? (size_t)length : 0;
    }
    return true;
}

/* ---- the steps of the child, each with the danger it is there for ---- */

/* A program in our session could signal the guest's process group and take its terminal. */
static int take_session(const struct plan *plan)
{
    (void)plan;
    return setsid() < 0 && getsid(0) != getpid() ? -1 : 0;
}

/* When memory runs out, the kernel is to pick the program, not the guest. Before the change of uid, which gives our
 * files in /proc to root. Best effort: /proc may be read-only, or the file root's because tally's own file is not
 * readable; the container's memory limit still holds then, and an end of the guest is seen from outside. */
static int offer_to_oom_killer(const struct plan *plan)
{
    (void)plan;
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, "1000", 4);
        (void)close(fd);
    }
    return 0;
}

/* What the program creates is for its uid alone, whatever the guest's mask is. umask cannot fail. */
static int take_umask(const struct plan *plan)
{
    (void)plan;
    (void)umask(S_IRWXG | S_IRWXO);
    return 0;
}

/* One CPU: for times that compare, and because a tracer and a tracee on two take five times as long. */
static int take_cpu(const struct plan *plan)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)plan->number[PIN_CPU], &cpus);
    return plan->given[PIN_CPU] ? sched_setaffinity(0, sizeof cpus, &cpus) : 0;
}

/* Root's groups would open the guest's files. First, because without uid 0 they cannot be given up any more. */
static int drop_groups(const struct plan *plan)
{
    return plan->given[UID] ? setgroups(0, NULL) : 0;
}

/* All three ids, here and below: a saved one could be taken back. */
static int take_gid(const struct plan *plan)
{
    const gid_t gid = (gid_t)plan->number[GID];
    return plan->given[UID] ? setresgid(gid, gid, gid) : 0;
}

static int take_uid(const struct plan *plan)
{
    const uid_t uid = (uid_t)plan->number[UID];
    return plan->given[UID] ? setresuid(uid, uid, uid) : 0;
}

/* A program with a capability that survived could become root again. The three calls above are believed when the
 * kernel says that we are the uid now, and when becoming root fails. */
static int check_identity(const struct plan *plan)
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

/* The program must not outlive its parent, tally or strace. After the change of uid, which undoes this; and the parent
 * may have ended before. */
static int die_with_parent(const struct plan *plan)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return -1;
    errno = ESRCH;
    return getppid() == plan->parent ? 0 : -1;
}

/* As the program's uid: root takes no step on a path that the program may have shaped. */
static int take_folder(const struct plan *plan)
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
        if (to_whole(entry->d_name, &fd) && fd >= plan->first_spare_fd && fd != dirfd(folder))
            (void)close((int)fd);
    return closedir(folder);
}

/* A program that holds the report's descriptor writes its own. The second way is for kernels before 5.9 and filters
 * that do not know the call; it takes memory and a descriptor, therefore this comes before the limits. */
static int close_descriptors(const struct plan *plan)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, plan->first_spare_fd, ~0U, 0U) == 0)
        return 0;
#endif
    return close_one_by_one(plan);
}

/* Endless loops, floods, fork bombs, full disks. Soft and hard limit are equal, so that the program cannot raise its
 * own; but for CPU SIGXCPU at N says what happened, and SIGKILL at N+1 is for those who ignore it. CPU counts for each
 * process, output for each file and not for pipes, processes for the uid in all containers. Never a core file. */
static int take_limits(const struct plan *plan)
{
    static const struct {
        int resource;
        enum option option;
        rlim_t grace;
    } limits[] = {
        {RLIMIT_CPU, CPU_S, 1},          {RLIMIT_AS, MEMORY_BYTES, 0},   {RLIMIT_STACK, STACK_BYTES, 0},
        {RLIMIT_FSIZE, OUTPUT_BYTES, 0}, {RLIMIT_NOFILE, OPEN_FILES, 0}, {RLIMIT_NPROC, PROCESSES, 0},
    };
    const struct rlimit no_core = {0, 0};
    if (setrlimit(RLIMIT_CORE, &no_core) != 0)
        return -1;
    for (size_t i = 0; i < LENGTH(limits); i++) {
        const rlim_t most = (rlim_t)plan->number[limits[i].option];
        const struct rlimit limit = {most, most + limits[i].grace};
        if (plan->given[limits[i].option] && setrlimit(limits[i].resource, &limit) != 0)
            return -1;
    }
    return 0;
}

/* A set-user-ID file would give the program another uid; and the guard needs this. */
static int give_up_privileges(const struct plan *plan)
{
    (void)plan;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Ignored and blocked signals survive execve: Python ignores SIGPIPE, and tally blocks all. EINVAL: SIGKILL, SIGSTOP,
 * and the two that the C library keeps for itself. */
static int take_signals(const struct plan *plan)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    (void)plan;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, &standard, NULL) != 0 && errno != EINVAL)
            return -1;
    return sigemptyset(&none) != 0 ? -1 : sigprocmask(SIG_SETMASK, &none, NULL);
}

static const struct {
    const char *name; /* the "step" of a fault */
    int (*take)(const struct plan *plan);
} steps[] = {
    {"setsid", take_session},
    {"oom_score_adj", offer_to_oom_killer},
    {"umask", take_umask},
    {"sched_setaffinity", take_cpu},
    {"setgroups", drop_groups},
    {"setresgid", take_gid},
    {"setresuid", take_uid},
    {"check_identity", check_identity},
    {"pdeathsig", die_with_parent},
    {"chdir", take_folder},
    {"close_range", close_descriptors},
    {"setrlimit", take_limits},
    {"no_new_privs", give_up_privileges},
    {"signals", take_signals},
    /* place for the guard, and for the filter of mode `filter`: last, as they may refuse what the steps need */
};
enum { STEPS = LENGTH(steps) };

/* The number of the step that failed, with errno; or STEPS. */
static int take_steps(const struct plan *plan)
{
    int step = 0;
    while (step < STEPS && steps[step].take(plan) == 0)
        step++;
    return step;
}

/* ---- the sweep: nothing of the program stays ---- */

/* Only a process with that uid and no other can say kill(-1) and mean just them. The kernel then goes through all
 * processes while no fork can finish: a fork bomb outruns one kill after another, but not this. The helper is forked
 * before the program, as a bomb that has used up the container's processes would leave none for it; its order is the
 * end of the pipe, so that it also acts if tally is killed; its own session keeps it from what kills tally's group. */
static _Noreturn void be_the_helper(const struct plan *plan, int order)
{
    char nothing = 0;
    (void)setsid();
    while (read(order, &nothing, 1) < 0 && errno == EINTR)
        continue;
    if (drop_groups(plan) != 0 || take_gid(plan) != 0 || take_uid(plan) != 0 || check_identity(plan) != 0)
        _exit(FAULT_STATUS); /* root's kill(-1) would end the container */
    _exit(kill(-1, SIGKILL) == 0 || errno == ESRCH ? 0 : FAULT_STATUS);
}

/* Once the helper has the uid, that uid's processes may stop or kill it before it kills them: then it was a try, and
 * the rest of the sweep, which needs no uid, has more to do. */
static void order_helper(struct run *run)
{
    const long long deadline_ns = now_ns() + SECOND_NS;
    (void)close(run->order);
    while (waitpid(run->helper, NULL, WNOHANG) == 0 && now_ns() < deadline_ns)
        nap();
    run->helper = 0;
}

/* The parent of a process, or 0, and its state. In /proc/PID/stat the name may hold any byte; after it is no `)`. */
static pid_t parent_of(pid_t pid, char *state)
{
    char path[PATH_MAX];
    char line[TEXT_BYTES];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(fd, line, sizeof line - 1);
    (void)close(fd);
    line[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(line, ')');
    if (name_end == NULL || strlen(name_end) < 5)
        return 0;
    *state = name_end[2];
    return (pid_t)strtol(name_end + 4, NULL, 10);
}

static bool is_descendant(pid_t pid, char *state)
{
    char ignored = 0;
    pid_t parent = parent_of(pid, state);
    while (parent > 1 && parent != getpid())
        parent = parent_of(parent, &ignored);
    return parent == getpid();
}

/* Signal all that the program left, parents, children and orphans, and count those that were running. */
static int signal_descendants(int number)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry = NULL;
    long long pid = 0;
    int running = 0;
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        char state = 0;
        if (!to_whole(entry->d_name, &pid) || !is_descendant((pid_t)pid, &state))
            continue;
        running += strchr("TtZX", state) == NULL;
        (void)kill((pid_t)pid, number);
    }
    if (proc != NULL)
        (void)closedir(proc);
    return running;
}

/* For what is not of the uid, or where there is none. One kill after another frees places that a fork bomb fills
 * again. A stop frees none, nor does a zombie that is not reaped: so all are stopped first, until a look at them finds
 * none running, and then killed. It takes a limit of processes that the bomb is up against. */
static void kill_descendants(void)
{
    for (int tries = 0; tries < STOP_TRIES && signal_descendants(SIGSTOP) > 0; tries++)
        nap();
    (void)signal_descendants(SIGKILL);
    nap();
}

/* Kill and reap all that is left; false if something will not go. The program's process group first and at once, while
 * the program is not reaped and its number is nobody else's. */
static bool sweep(struct run *run)
{
    const long long deadline_ns = now_ns() + PATIENCE_NS;
    pid_t pid = 0;
    if (!run->has_children)
        return true;
    run->has_children = false;
    if (run->program > 0) {
        (void)kill(-run->program, SIGKILL);
        (void)kill(run->program, SIGKILL);
    }
    if (run->helper > 0)
        order_helper(run);
    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
        if (now_ns() > deadline_ns)
            return false;
        if (pid == 0)
            kill_descendants();
    }
    return errno == ECHILD;
}

/* Our side failed: what was started is killed, and the report and standard error say what it was. */
static _Noreturn void die(struct run *run, const char *step, int error, const char *message)
{
    struct text text = {0};
    const char *why = message != NULL ? message : strerror(error);
    (void)sweep(run); /* it failing as well is no worse */
    append(&text, "{\"tally\":1,\"fault\":{\"step\":\"%s\",\"errno\":%d,\"message\":\"%s\"}}\n", step, error, why);
    if (run->report_fd >= 0 && !write_all(run->report_fd, &text))
        (void)fputs("tally: the report cannot be written\n", stderr);
    (void)fprintf(stderr, "tally: %s: %s (errno %d)\n", step, why, error);
    exit(FAULT_STATUS);
}

/* ---- options ---- */

static const struct {
    const char *name;
    enum { WHOLE, SECONDS, WORD, PATH, FLAG } kind;
    long long least, most;
} rules[OPTIONS] = {
    [REPORT_FD] = {"--report-fd", WHOLE, CHANNEL_FD, INT_MAX}, /* 0 to 2 are the program's */
    [MODE] = {"--mode", WORD, 0, 0},
    [EXEC] = {"--exec", FLAG, 0, 0},
    [UID] = {"--uid", WHOLE, 1, UINT_MAX - 1LL}, /* not root; and -1 tells setresuid to change nothing */
    [GID] = {"--gid", WHOLE, 1, UINT_MAX - 1LL},
    [CWD] = {"--cwd", PATH, 0, 0},
    [WALL_S] = {"--wall-s", SECONDS, 0, 1000000},
    [CPU_S] = {"--cpu-s", WHOLE, 1, 1000000},
    [MEMORY_BYTES] = {"--memory-bytes", WHOLE, 1, LLONG_MAX},
    [STACK_BYTES] = {"--stack-bytes", WHOLE, 1, LLONG_MAX},
    [OUTPUT_BYTES] = {"--output-bytes", WHOLE, 0, LLONG_MAX},
    [OPEN_FILES] = {"--open-files", WHOLE, CHANNEL_FD, INT_MAX},
    [PROCESSES] = {"--processes", WHOLE, 1, INT_MAX},
    [PIN_CPU] = {"--pin-cpu", WHOLE, 0, CPU_SETSIZE - 1},
};
static const char *const mode_names[MODES] = {[PLAIN] = "plain", [ACCOUNT] = "account"};

/* Digits with at most one point, and nothing else that strtod would take. */
static bool to_nanoseconds(const char *value, long long most_s, long long *number)
{
    char *end = NULL;
    const double seconds = strtod(value, &end);
    if (strspn(value, "0123456789.") != strlen(value) || *end != '\0' || seconds > (double)most_s)
        return false;
    *number = (long long)(seconds * (double)SECOND_NS);
    return *number > 0;
}

static bool take_value(struct plan *plan, enum option option, const char *value)
{
    long long *number = &plan->number[option];
    switch (rules[option].kind) {
    case WHOLE:
        return to_whole(value, number) && *number >= rules[option].least && *number <= rules[option].most;
    case SECONDS:
        return to_nanoseconds(value, rules[option].most, number);
    case WORD:
        while (*number < MODES && strcmp(value, mode_names[*number]) != 0)
            ++*number;
        return *number < MODES;
    case PATH:
        plan->cwd = value;
        return *value != '\0';
    case FLAG:
    default:
        return true;
    }
}

static _Noreturn void refuse(struct run *run, const char *option, const char *why)
{
    struct text text = {0};
    append(&text, "%s%s", option, why);
    die(run, "options", EINVAL, text.bytes);
}

/* What options mean for each other. */
static void check_plan(struct run *run)
{
    const bool *given = run->plan.given;
    if (run->plan.program[0] == NULL)
        refuse(run, "--", " is without a PROGRAM after it");
    if (given[UID] != given[GID])
        refuse(run, "--uid, --gid", ": both or neither");
    if (given[EXEC] && (given[REPORT_FD] || given[MODE] || given[WALL_S]))
        refuse(run, "--exec", " leaves nobody for --report-fd, --mode and --wall-s");
    if (!given[EXEC] && !(given[REPORT_FD] && given[MODE]))
        refuse(run, "--report-fd, --mode", ": both are needed, or --exec");
}

/* An unknown option is not repeated in the message, as it may hold any byte. */
static void read_options(struct run *run, char **next)
{
    struct plan *plan = &run->plan;
    for (; *next != NULL && strcmp(*next, "--") != 0; next++) {
        enum option option = 0;
        while (option < OPTIONS && strcmp(*next, rules[option].name) != 0)
            option++;
        if (option == OPTIONS)
            refuse(run, "no such option", "; PROGRAM comes after --");
        if (plan->given[option])
            refuse(run, rules[option].name, " is given twice");
        plan->given[option] = true;
        if (rules[option].kind != FLAG && (*++next == NULL || !take_value(plan, option, *next)))
            refuse(run, rules[option].name, " has no value, or a wrong one");
    }
    if (*next == NULL)
        refuse(run, "--", " is missing, and PROGRAM after it");
    plan->program = next + 1;
    check_plan(run);
}

/* Before all else, so that a wrong option can be reported there. execve will close it; the child closes it before. */
static void find_report(struct run *run, char **next)
{
    long long fd = 0;
    while (*next != NULL && strcmp(*next, "--") != 0 && strcmp(*next, rules[REPORT_FD].name) != 0)
        next++;
    if (*next == NULL || strcmp(*next, "--") == 0 || next[1] == NULL || !to_whole(next[1], &fd) ||
        fd < rules[REPORT_FD].least || fd > rules[REPORT_FD].most)
        return;
    const int flags = fcntl((int)fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0)
        die(run, "report_fd", EBADF, "the report's descriptor is not open for writing");
    run->report_fd = (int)fd;
}

/* ---- starting ---- */

/* Have a signal sent when our parent has ended. The kernel forgets it when our ids change, those for files too. */
static void watch_parent(struct run *run)
{
    if (prctl(PR_SET_PDEATHSIG, PARENT_DIED, 0, 0, 0) != 0)
        die(run, "pdeathsig", errno, NULL);
    if (getppid() != run->parent)
        die(run, "parent", ESRCH, "the process that started tally has ended");
}

static void start_helper(struct run *run)
{
    int order[2];
    if (pipe2(order, O_CLOEXEC) != 0)
        die(run, "pipe2", errno, NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(order[1]);
        be_the_helper(&run->plan, order[0]);
    }
    if (pid < 0)
        die(run, "fork", errno, NULL);
    (void)close(order[0]);
    run->helper = pid;
    run->order = order[1];
}

/* Every signal is blocked, and fetched where we wait: no handlers, and no death by a report's closed pipe. A SIGCHLD
 * that our parent ignored would have the kernel reap children before we see how they ended. */
static void prepare(struct run *run)
{
    sigset_t all;
    if (signal(SIGCHLD, SIG_DFL) == SIG_ERR || sigfillset(&all) != 0 || sigprocmask(SIG_SETMASK, &all, NULL) != 0)
        die(run, "signals", errno, NULL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        die(run, "subreaper", errno, NULL);
    watch_parent(run);
    run->io_fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC); /* now, for undumpable we might not; -1: no accounting */
    run->has_children = true;
    if (run->plan.given[UID])
        start_helper(run);
}

/* The child's part of the handshake. End of file: tally is gone. */
static void wait_for_tally(void)
{
    char go = 0;
    if (recv(CHANNEL_FD, &go, sizeof go, 0) != sizeof go)
        _exit(FAULT_STATUS);
}

/* If it does not arrive, there is no tally any more. */
static void tell_tally(struct word word)
{
    (void)send(CHANNEL_FD, &word, sizeof word, MSG_NOSIGNAL);
}

static _Noreturn void be_the_program(const struct plan *plan, int channel)
{
    if (channel != CHANNEL_FD && dup3(channel, CHANNEL_FD, O_CLOEXEC) < 0)
        _exit(FAULT_STATUS);
    wait_for_tally(); /* while we still have its uid, it traces us */
    const int step = take_steps(plan);
    if (step < STEPS) {
        tell_tally((struct word){STEP_FAILED, step, errno});
        _exit(FAULT_STATUS);
    }
    tell_tally((struct word){.kind = READY});
    wait_for_tally(); /* it starts the clock */
    (void)execv(plan->program[0], plan->program);
    tell_tally((struct word){EXEC_FAILED, 0, errno});
    _exit(FAULT_STATUS);
}

static void fork_program(struct run *run)
{
    const struct timeval patience = {.tv_sec = PATIENCE_NS / SECOND_NS};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0)
        die(run, "socketpair", errno, NULL);
    run->plan.parent = getpid();
    run->plan.first_spare_fd = CHANNEL_FD + 1;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        be_the_program(&run->plan, ends[1]);
    }
    if (pid < 0)
        die(run, "fork", errno, NULL);
    (void)close(ends[1]);
    run->program = pid;
    run->channel = ends[0];
}

/* Let the child go on. If it is gone, that is seen where it is waited for. */
static void release(const struct run *run)
{
    (void)send(run->channel, "", 1, MSG_NOSIGNAL);
}

/* From fork to just before execve. SEIZE, not TRACEME: the kill on our exit is set from the first moment, and it needs
 * no stop. After that nobody with our own uid may look into us, where the report's descriptor is; without --uid the
 * program is such a one. (It can still kill us. Then there is no report, and no harm.) */
static void start_program(struct run *run)
{
    struct word word = {0};
    fork_program(run);
    if (run->plan.number[MODE] == ACCOUNT &&
        ptrace(PTRACE_SEIZE, run->program, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC) != 0)
        die(run, "ptrace", errno, NULL);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        die(run, "dumpable", errno, NULL);
    release(run);
    if (recv(run->channel, &word, sizeof word, 0) != sizeof word)
        die(run, "child", ECHILD, "the child ended or hung before the program was started");
    if (word.kind == STEP_FAILED)
        die(run, steps[word.step].name, word.error, NULL);
    run->start_ns = now_ns();
    run->deadline_ns = run->plan.given[WALL_S] ? run->start_ns + run->plan.number[WALL_S] : LLONG_MAX;
    release(run);
}

static _Noreturn void exec_in_place(struct run *run)
{
    run->plan.parent = run->parent;
    run->plan.first_spare_fd = CHANNEL_FD;
    const int step = take_steps(&run->plan);
    if (step < STEPS)
        die(run, steps[step].name, errno, NULL);
    (void)execv(run->plan.program[0], run->plan.program);
    die(run, "execve", errno, NULL);
}

/* ---- accounting ---- */

/* Those ids of ours that count for files, and no others: the kernel's test for /proc/PID/io looks at them, and as root
 * without capabilities we would not pass it. They let the program neither signal nor trace us. The calls report no
 * failure; so they are asked again, with an id that does not exist. */
static void take_file_ids(struct run *run, uid_t uid, gid_t gid)
{
    (void)setfsgid(gid);
    (void)setfsuid(uid);
    if ((uid_t)setfsuid(UINT_MAX) != uid || (gid_t)setfsgid(UINT_MAX) != gid)
        die(run, "setfsuid", EPERM, NULL);
    watch_parent(run);
}

static unsigned long long field(const char *text, const char *name)
{
    const char *place = strstr(text, name);
    return place != NULL ? strtoull(place + strlen(name), NULL, 10) : 0;
}

/* The bytes read, or -1. */
static ssize_t read_io(int fd, struct io *io)
{
    char text[TEXT_BYTES];
    const ssize_t length = pread(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    *io = (struct io){field(text, "syscr: "), field(text, "syscw: "), field(text, "rchar: "), field(text, "wchar: ")};
    return length;
}

/* At the stop of the first execve. If the kernel refuses there will be no accounting, which is no fault. */
static void start_accounting(struct run *run)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "/proc/%d/io", run->program);
    if (run->plan.given[UID])
        take_file_ids(run, (uid_t)run->plan.number[UID], (gid_t)run->plan.number[GID]);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    run->has_accounting = read_io(fd, &run->accounting) > 0;
    (void)close(fd);
    if (run->plan.given[UID])
        take_file_ids(run, geteuid(), getegid());
}

/* Reap the program. The first of our two reads is itself in the difference: one call, and the bytes it returned. */
static void reap_program(struct run *run)
{
    struct io *sum = &run->accounting;
    struct io before = {0};
    struct io after = {0};
    const ssize_t length = read_io(run->io_fd, &before);
    if (wait4(run->program, &run->status, 0, &run->usage) != run->program)
        die(run, "wait4", errno, NULL);
    if (length <= 0 || read_io(run->io_fd, &after) <= 0)
        run->has_accounting = false;
    *sum = (struct io){after.reads - before.reads - 1 - sum->reads, after.writes - before.writes - sum->writes,
                       after.read_bytes - before.read_bytes - (unsigned long long)length - sum->read_bytes,
                       after.written_bytes - before.written_bytes - sum->written_bytes};
    run->program = 0;
}

/* ---- watching ---- */

/* Told to end, by whoever started us or because that one has ended: this run has no result. */
static void heed_signal(struct run *run, int number)
{
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    struct text text = {0};
    for (size_t i = 0; i < LENGTH(ending); i++)
        if (number == ending[i]) {
            append(&text, "tally was told to end by signal %d", number);
            die(run, "signal", EINTR, text.bytes);
        }
    if (number == PARENT_DIED) /* it may be only that thread of the parent that started us */
        watch_parent(run);
}

static void wait_for_signal(struct run *run, long long most_ns)
{
    static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, PARENT_DIED};
    const struct timespec most = {.tv_sec = most_ns / SECOND_NS, .tv_nsec = most_ns % SECOND_NS};
    sigset_t awaited;
    (void)sigemptyset(&awaited);
    for (size_t i = 0; i < LENGTH(numbers); i++)
        (void)sigaddset(&awaited, numbers[i]);
    heed_signal(run, sigtimedwait(&awaited, NULL, &most));
}

/* A tracee has stopped: the program at its first execve, where we read and detach; or our child before that, because
 * of a signal, which it gets. ESRCH: it was killed meanwhile. Place for mode `filter`, which stays attached: its own
 * stops, group-stops (PTRACE_LISTEN), new threads and children. */
static void heed_stop(struct run *run, pid_t pid, int status)
{
    const int event = status >> 16;
    long done = 0;
    if (event == PTRACE_EVENT_EXEC) {
        start_accounting(run);
        done = ptrace(PTRACE_DETACH, pid, NULL, NULL);
    } else {
        done = ptrace(PTRACE_CONT, pid, NULL, event != 0 ? 0L : (long)WSTOPSIG(status));
    }
    if (done != 0 && errno != ESRCH)
        die(run, "ptrace", errno, NULL);
}

/* Take note of one child that ended or stopped. The program's own end is only looked at: `collect` reaps it. */
static enum { NOTHING, SOMETHING, PROGRAM_ENDED } heed_child(struct run *run)
{
    siginfo_t child = {0};
    int status = 0;
    if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) != 0)
        die(run, "waitid", errno, NULL);
    if (child.si_pid == 0)
        return NOTHING;
    if (child.si_pid == run->program && child.si_code != CLD_TRAPPED)
        return PROGRAM_ENDED;
    if (waitpid(child.si_pid, &status, WNOHANG) == child.si_pid && WIFSTOPPED(status))
        heed_stop(run, child.si_pid, status);
    else if (child.si_pid == run->helper)
        run->helper = 0; /* we know not why; the sweep does without it */
    return SOMETHING;
}

/* Until the program's own process has ended, by itself or at the wall limit. The clock is looked at after each orphan,
 * for a program can leave more of them than we can reap. */
static void watch(struct run *run)
{
    for (int seen = SOMETHING; (seen = heed_child(run)) != PROGRAM_ENDED;) {
        const long long left_ns = run->deadline_ns - now_ns();
        if (left_ns > 0) {
            wait_for_signal(run, seen == NOTHING ? left_ns : 0);
            continue;
        }
        if (run->hit_wall)
            die(run, "kill", ETIMEDOUT, "the program does not end");
        run->hit_wall = true;
        run->deadline_ns = now_ns() + PATIENCE_NS;
        (void)kill(run->program, SIGKILL);
    }
    run->end_ns = now_ns();
}

/* The better part of the sweep, while the program's number is still its own; then what its end tells. */
static void collect(struct run *run)
{
    struct word word = {0};
    (void)kill(-run->program, SIGKILL);
    reap_program(run);
    if (recv(run->channel, &word, sizeof word, MSG_DONTWAIT) == sizeof word && word.kind == EXEC_FAILED)
        run->exec_error = word.error;
}

/* ---- the report ---- */

/* execve failed because of the program's file or its limits. All else is ours: no process or descriptor to be had,
 * too long operands, a file still open for writing, a broken disk. */
static bool is_programs_fault(int error)
{
    static const int errors[] = {
        ENOENT, EACCES, ENOEXEC, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, ELIBBAD, EINVAL, ENOMEM,
    };
    for (size_t i = 0; i < LENGTH(errors); i++)
        if (errors[i] == error)
            return true;
    return false;
}

static double to_seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* The kernel holds the limit against time sampled at clock ticks, and reports time that the scheduler measured. On a
 * busy machine they differ: programs were charged their first second after 0.78 s. With less than half the limit the
 * signal came from somewhere else; a SIGKILL with more may have, too, if the machine ran out of memory just then. */
static bool hit_cpu_limit(const struct run *run, int number)
{
    const double used_s = to_seconds(&run->usage.ru_utime) + to_seconds(&run->usage.ru_stime);
    const double limit_s = (double)run->plan.number[CPU_S] + (number == SIGKILL ? 1 : 0);
    return run->plan.given[CPU_S] && (number == SIGXCPU || number == SIGKILL) && used_s >= limit_s / 2;
}

static void append_ending(struct text *text, const struct run *run)
{
    const int number = WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
    const int error = run->exec_error;
    if (error != 0)
        append(text, "{\"kind\":\"not_started\",\"errno\":%d,\"message\":\"%s\"}", error, strerror(error));
    else if (run->hit_wall)
        append(text, "{\"kind\":\"limit\",\"limit\":\"wall\"}");
    else if (hit_cpu_limit(run, number))
        append(text, "{\"kind\":\"limit\",\"limit\":\"cpu\"}");
    else if (number == SIGXFSZ && run->plan.given[OUTPUT_BYTES])
        append(text, "{\"kind\":\"limit\",\"limit\":\"output\"}");
    else if (number != 0)
        append(text, "{\"kind\":\"signalled\",\"signal\":%d}", number);
    else
        append(text, "{\"kind\":\"exited\",\"code\":%d}", WEXITSTATUS(run->status));
}

static void append_accounting(struct text *text, const struct run *run)
{
    const struct io *io = &run->accounting;
    if (run->has_accounting)
        append(text, "{\"reads\":%llu,\"writes\":%llu,\"read_bytes\":%llu,\"written_bytes\":%llu}", io->reads,
               io->writes, io->read_bytes, io->written_bytes);
    else
        append(text, "null");
}

/* Times and peak memory are those of the program and of children it waited for. The CPU times include the fraction of
 * a millisecond in which our child took its steps; the peak is never below that child's, about 0.4 MB. */
static void report(struct run *run)
{
    struct text text = {0};
    if (run->exec_error != 0 && !is_programs_fault(run->exec_error))
        die(run, "execve", run->exec_error, NULL);
    append(&text, "{\"tally\":1,\"ending\":");
    append_ending(&text, run);
    append(&text, ",\"wall_s\":%.9f,\"user_s\":%.6f,\"sys_s\":%.6f,\"peak_memory_bytes\":%lld,\"accounting\":",
           (double)(run->end_ns - run->start_ns) / (double)SECOND_NS, to_seconds(&run->usage.ru_utime),
           to_seconds(&run->usage.ru_stime), run->usage.ru_maxrss * 1024LL);
    append_accounting(&text, run);
    append(&text, "}\n");
    if (!write_all(run->report_fd, &text)) {
        run->report_fd = -1;
        die(run, "report_fd", errno, NULL);
    }
}

int main(int argc, char **argv)
{
    struct run run = {.parent = getppid(), .report_fd = -1, .order = -1, .channel = -1, .io_fd = -1};
    char **arguments = argv + (argc > 0 ? 1 : 0);
    find_report(&run, arguments);
    read_options(&run, arguments);
    for (int fd = 0; fd < CHANNEL_FD; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            die(&run, "streams", EBADF, "descriptors 0 to 2 must be open, else ours would take their numbers");
    if (run.plan.given[EXEC])
        exec_in_place(&run);
    prepare(&run);
    start_program(&run);
    watch(&run);
    collect(&run);
    if (!sweep(&run))
        die(&run, "sweep", ETIMEDOUT, "something that the program left does not end");
    report(&run);
    return 0;
}
