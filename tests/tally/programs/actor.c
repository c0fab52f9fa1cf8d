/* Does what is asked of it. What it has to tell is on standard output, a line or a word each. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acts.h"

static int leave(int code)
{
    return code;
}

/* The default action, whatever it is. */
static int raise_signal(int number)
{
    kill(getpid(), number);
    return 0;
}

static int spin(int ignored)
{
    if (ignored != 0)
        signal(ignored, SIG_IGN);
    for (volatile unsigned long turns = 0;; turns++)
        continue;
    return 0;
}

static int sleep_deaf(int seconds)
{
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    sleep((unsigned)seconds);
    return 0;
}

/* The parent waits, uninterruptibly, until its child has ended or executed something. */
static int wait_in_vfork(int unused)
{
    (void)unused;
    if (vfork() == 0)
        for (;;)
            (void)pause();
    return 0;
}

/* Exit status 1 if the memory was refused. */
static int take_memory(int megabytes)
{
    const size_t size = (size_t)megabytes << 20;
    char *block = malloc(size);
    if (block == NULL)
        return 1;
    memset(block, 1, size);
    return ((volatile char *)block)[size - 1] - 1; /* else the compiler would leave it all out */
}

/* `calls` writes of no bytes at all, which the kernel counts like any other. */
static void write_nothing(int calls)
{
    for (int i = 0; i < calls; i++)
        if (write(1, "", 0) != 0)
            fail("write");
}

static int count_writes(int calls)
{
    write_nothing(calls);
    return 0;
}

static int count_then_die(int calls)
{
    write_nothing(calls);
    return raise_signal(SIGKILL);
}

/* The guard refuses it, and all goes on. */
static int count_undumpable(int calls)
{
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)
        return 99;
    write_nothing(calls);
    return 0;
}

static int count_in_child(int calls)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(count_writes(calls));
    return waitpid(pid, NULL, 0) == pid ? 0 : 99;
}

static void *write_later(void *calls)
{
    usleep(100000);
    write_nothing(*(int *)calls);
    return NULL;
}

/* The leading thread ends first. */
static int count_in_thread(int calls)
{
    static int kept;
    pthread_t thread;
    kept = calls;
    if (pthread_create(&thread, NULL, write_later, &kept) != 0)
        fail("pthread_create");
    pthread_exit(NULL);
}

static int count_after_exec(int calls)
{
    char number[16];
    write_nothing(calls);
    snprintf(number, sizeof number, "%d", calls);
    execl("/proc/self/exe", arguments[0], "count-writes", number, (char *)NULL);
    return fail("execl");
}

/* Stopped, and continued by a child, which is how shells treat their jobs. */
static int stop_and_go_on(int code)
{
    const pid_t self = getpid();
    if (fork() == 0) {
        usleep(1000000);
        _exit(kill(self, SIGCONT));
    }
    raise(SIGSTOP);
    return wait(NULL) > 0 ? code : 99;
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms++;
}

static int catch_alarm(int code)
{
    signal(SIGALRM, count_alarm);
    alarm(1);
    while (alarms == 0)
        usleep(10000);
    return alarms == 1 ? code : 99;
}

/* Generations of sleepers, each in a session of its own, each with an orphan. */
static int start_daemons(int generations, int leaves)
{
    for (int i = 0; i < generations; i++) {
        if (fork() != 0) {
            usleep(i == 0 && leaves ? 1000000 : 1000000000); /* a program that leaves only lets them be born */
            return 0;
        }
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0)
            _exit(fork() == 0 ? (int)sleep(1000) : 0);
    }
    sleep(1000);
    return 0;
}

static int leave_daemons(int generations)
{
    return start_daemons(generations, 1);
}

/* For tests that kill tally while everything runs: on a busy machine it takes them long to see all processes. */
static int stay_with_daemons(int generations)
{
    return start_daemons(generations, 0);
}

/* What would end the machine if root did it. */
static void refuse_root(void)
{
    if (getuid() == 0 || geteuid() == 0) {
        fprintf(stderr, "not as root\n");
        exit(99);
    }
}

static int fork_bomb(int own_sessions)
{
    refuse_root();
    signal(SIGTERM, SIG_IGN);
    for (;;)
        if (fork() == 0 && own_sessions)
            setsid();
    return 0;
}

/* A bomb that goes on after the program's own process has ended. */
static int leave_bomb(int own_sessions)
{
    refuse_root();
    if (fork() == 0)
        fork_bomb(own_sessions);
    usleep(300000);
    return 0;
}

/* Orphans as fast as they can be made. */
static int shed_orphans(int own_sessions)
{
    refuse_root();
    for (;;) {
        const pid_t pid = fork();
        if (pid == 0) {
            if (own_sessions)
                setsid();
            if (fork() >= 0)
                _exit(0);
        }
        if (pid > 0)
            waitpid(pid, NULL, 0);
    }
    return 0;
}

/* Kills every process with our uid: the program first, and tally's killer as soon as it has that uid. One by one,
 * because the guard refuses kill(-1). Other processes that were born just before us have another uid. */
static int shoot(int unused)
{
    (void)unused;
    refuse_root();
    if (fork() == 0)
        for (;;)
            for (pid_t pid = getpid() - 1; pid > 1 && pid > getpid() - 100; pid--)
                kill(pid, SIGKILL);
    sleep(1000);
    return 0;
}

static int say_descriptors(int unused)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry = NULL;
    (void)unused;
    if (folder == NULL)
        fail("/proc/self/fd");
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder))
            printf("%s\n", entry->d_name);
    return 0;
}

/* Ways back to root, each with its errno; 0 is success. */
static int regain(int unused)
{
    (void)unused;
    printf("setuid %d\n", setuid(0) == 0 ? 0 : errno);
    printf("setreuid %d\n", setreuid(0, 0) == 0 ? 0 : errno);
    printf("setresuid %d\n", setresuid(0, 0, 0) == 0 ? 0 : errno);
    printf("setgid %d\n", setgid(0) == 0 ? 0 : errno);
    printf("setgroups %d\n", setgroups(0, NULL) == 0 ? 0 : errno);
    return 0;
}

static int say_cpus(int unused)
{
    cpu_set_t cpus;
    (void)unused;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        fail("sched_getaffinity");
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &cpus))
            printf("%d\n", cpu);
    return 0;
}

/* What is inherited and stands in no file of /proc. */
static int say_inheritance(int unused)
{
    const mode_t mask = umask(0);
    int death = 0;
    (void)unused;
    if (prctl(PR_GET_PDEATHSIG, &death) != 0)
        fail("prctl");
    printf("umask %o\nsession %d\npdeathsig %d\n", mask, getsid(0) == getpid(), death);
    return 0;
}

/* Writes into every descriptor of the parent that it can open; 0 if there was none. */
static int forge(int unused)
{
    char path[300];
    int forged = 0;
    (void)unused;
    snprintf(path, sizeof path, "/proc/%d/fd", getppid());
    DIR *folder = opendir(path);
    for (int fd = 3; fd < 64; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", getppid(), fd);
        const int copy = open(path, O_WRONLY | O_NONBLOCK);
        if (copy >= 0)
            forged += write(copy, "{\"tally\":1,\"forged\":true}\n", 26) > 0;
    }
    return folder != NULL || forged;
}

static int open_files(int wanted)
{
    int opened = 0;
    while (opened < wanted && open("/dev/null", O_RDONLY) >= 0)
        opened++;
    printf("%d\n", opened);
    return 0;
}

/* Each child says that it runs, so that all of them live at the same time. */
static int fork_some(int wanted)
{
    int forked = 0, running[2];
    char one;
    if (pipe(running) != 0)
        return 1;
    while (forked < wanted) {
        const pid_t pid = fork();
        if (pid == 0) {
            if (write(running[1], "", 1) != 1)
                _exit(1);
            sleep(1000);
        }
        if (pid < 0)
            break;
        forked++;
    }
    for (int i = 0; i < forked; i++)
        if (read(running[0], &one, 1) != 1)
            return 1;
    printf("%d\n", forked);
    return 0;
}

static const struct act acts[] = {
    {"exit", leave},
    {"signal", raise_signal},
    {"spin", spin},
    {"sleep-deaf", sleep_deaf},
    {"wait-in-vfork", wait_in_vfork},
    {"memory", take_memory},
    {"count-writes", count_writes},
    {"count-then-die", count_then_die},
    {"count-undumpable", count_undumpable},
    {"count-in-child", count_in_child},
    {"count-in-thread", count_in_thread},
    {"count-after-exec", count_after_exec},
    {"stop-and-go-on", stop_and_go_on},
    {"catch-alarm", catch_alarm},
    {"daemons", leave_daemons},
    {"stay-with-daemons", stay_with_daemons},
    {"fork-bomb", fork_bomb},
    {"leave-bomb", leave_bomb},
    {"shed-orphans", shed_orphans},
    {"shoot", shoot},
    {"descriptors", say_descriptors},
    {"regain", regain},
    {"cpus", say_cpus},
    {"inheritance", say_inheritance},
    {"forge", forge},
    {"open-files", open_files},
    {"fork-some", fork_some},
};

int main(int argc, char **argv)
{
    return perform(acts, sizeof acts / sizeof acts[0], argc, argv);
}
