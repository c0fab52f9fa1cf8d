/* Reaches a limit, or makes a call that the guard refuses, and goes on. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void on_signal(int number)
{
    (void)number;
}

static void use_up_descriptors(void)
{
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
}

static void use_up_processes(void)
{
    pid_t pid = 0;
    while ((pid = fork()) > 0)
        ;
    if (pid == 0) {
        pause();
        _exit(0);
    }
}

/* The largest file has fewer bytes. */
static void write_large_file(const char *how)
{
    const bool blocks = strcmp(how, "blocked size") == 0;
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGXFSZ);
    if (blocks)
        (void)sigprocmask(SIG_BLOCK, &signals, NULL);
    else
        (void)signal(SIGXFSZ, strcmp(how, "handled size") == 0 ? on_signal : SIG_IGN);
    const int fd = (int)syscall(SYS_memfd_create, "large", 0);
    if (fd < 0 || ftruncate(fd, 900000000) == 0 || errno != EFBIG)
        exit(3);
}

static void raise_own_signals(void)
{
    (void)signal(SIGXFSZ, on_signal);
    (void)signal(SIGXCPU, on_signal);
    (void)raise(SIGXFSZ);
    (void)raise(SIGXCPU);
}

static volatile sig_atomic_t is_told;

static void on_time(int number)
{
    (void)number;
    is_told = 1;
}

static void use_up_time(void)
{
    (void)signal(SIGXCPU, on_time);
    while (!is_told)
        ;
}

/* Ends before the kernel ends it, and never takes the signal. */
static void use_up_time_deaf(void)
{
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGXCPU);
    (void)sigprocmask(SIG_BLOCK, &signals, NULL);
    do
        (void)sigpending(&signals);
    while (!sigismember(&signals, SIGXCPU));
}

static void lock_memory(void)
{
    const size_t most = (size_t)100 << 20;
    char *memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mlock(memory, most) == 0)
        exit(3);
}

static void *rest(void *nothing)
{
    return nothing;
}

/* C libraries begin each of these in another way. */
static void start_processes_and_thread(void)
{
    char *arguments[] = {"true", NULL};
    pthread_t thread;
    pid_t pid = 0;
    if (fork() >= 0 || errno != EAGAIN || posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) != EAGAIN)
        exit(3);
    if (popen("true", "r") != NULL || system("true") == 0)
        exit(4);
#ifdef SYS_fork
    if (syscall(SYS_fork) >= 0 || errno != EAGAIN || syscall(SYS_vfork) >= 0 || errno != EAGAIN)
        exit(5);
#endif
    if (syscall(SYS_clone, CLONE_VM | CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) >= 0 || errno != EAGAIN)
        exit(6);
    if (pthread_create(&thread, NULL, rest, NULL) != 0 || pthread_join(thread, NULL) != 0)
        exit(7);
}

static void write_bytes(int count)
{
    for (int i = 0; i < count; i++)
        (void)!write(STDOUT_FILENO, "x", 1);
}

static void set_handler(void)
{
    (void)signal(SIGCHLD, on_signal);
}

/* The child of posix_spawn sets SIGCHLD to its default, and the shell sets a handler of its own. */
static void spawn_shell(void)
{
    char *arguments[] = {"sh", "-c", "true; trap : CHLD", NULL};
    pid_t pid = 0;
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) != 0 || waitpid(pid, NULL, 0) != pid)
        exit(2);
}

static void expect_failure(int result)
{
    if (result >= 0)
        exit(3);
}

/* None of this is allowed to a program that may change files in its own folder only. */
static void change_files(const char *folder)
{
    char name[] = "/var/tmp/XXXXXX";
    if (tmpfile() != NULL)
        exit(3);
    expect_failure(mkstemp(name));
    expect_failure(mkdir("/dev/shm/limited", 0700));
    expect_failure(rename("/nonexistent", "/dev/shm/limited"));
    expect_failure(symlink("x", "/tmp/limited"));
    if (chdir(folder) != 0)
        exit(3);
    expect_failure(rename("given", "../limited"));
    expect_failure(open("/dev/stdout", O_WRONLY));
}

static void enter(const char *folder)
{
    if (chdir(folder) != 0)
        exit(3);
}

/* Its folder's own folder is closed to it, whatever path leads there. */
static void climb(const char *folder)
{
    enter(folder);
    expect_failure(open("../limited", O_CREAT | O_WRONLY, 0600));
    expect_failure(mkdirat(open(".", O_RDONLY), "../limited", 0700));
    enter("/tmp");
    expect_failure(rmdir("limited") == 0 ? 0 : mkdir("limited", 0700));
}

static void list(const char *folder)
{
    enter(folder);
    if (opendir("..") != NULL)
        exit(3);
    expect_failure(access("..", R_OK));
}

/* Programs that it starts are its own means. */
static void let_list(const char *folder)
{
    enter(folder);
    expect_failure(-system("ls .. 2> /dev/null"));
}

/* Landlock of another program that does not know of such moves: as in all kernels before 5.19. */
static void move(const char *folder)
{
    const uint64_t makes_pipes = 1 << 10;
    enter(folder);
    const int ruleset = (int)syscall(444, &makes_pipes, sizeof makes_pipes, 0);
    if (mkdir("from", 0700) != 0 || close(open("from/file", O_CREAT | O_WRONLY, 0600)) != 0)
        exit(3);
    if (syscall(446, ruleset, 0) != 0)
        exit(3);
    expect_failure(rename("from/file", "file"));
    if (errno != EXDEV)
        exit(3);
}

static void set_limit(int resource, rlim_t soft, rlim_t hard)
{
    const struct rlimit limit = {soft, hard};
    expect_failure(setrlimit(resource, &limit));
}

/* As programs do that want to be stopped early: what they have then is not what they were given. */
static void lower_limits(void)
{
    static const struct {
        int resource;
        rlim_t soft;
    } lower[] = {
        {RLIMIT_AS, 300000000}, {RLIMIT_NOFILE, 16}, {RLIMIT_FSIZE, 4}, {RLIMIT_NPROC, 0}, {RLIMIT_MEMLOCK, 0},
    };
    for (size_t i = 0; i < sizeof lower / sizeof lower[0]; i++) {
        struct rlimit limit;
        if (getrlimit(lower[i].resource, &limit) != 0)
            exit(3);
        limit.rlim_cur = lower[i].soft;
        if (setrlimit(lower[i].resource, &limit) != 0)
            exit(3);
    }
}

/* Memory has more than one limit. */
static void lower_limit_of_data(void)
{
    const struct rlimit limit = {1000000, 1000000};
    if (setrlimit(RLIMIT_DATA, &limit) != 0)
        exit(3);
}

static void raise_limits(void)
{
    set_limit(RLIMIT_NOFILE, 1024, 1024);
}

static void raise_soft_limit(void)
{
    struct rlimit limit;
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    set_limit(RLIMIT_NOFILE, 1024, limit.rlim_max);
}

static void change_given_file(const char *folder)
{
    enter(folder);
    expect_failure(chmod("given", 0600));
    expect_failure(chmod(".", 0700));
}

/* None of this is allowed to an ordinary user on any machine, or it is a mistake. */
static void do_wrong(const char *folder)
{
    enter(folder);
    expect_failure(open("/etc/shadow", O_RDONLY));
    expect_failure(open("/etc/limited", O_CREAT | O_WRONLY, 0600));
    expect_failure(open("/root/limited", O_CREAT | O_WRONLY, 0600));
    expect_failure(open("/etc/passwd", O_WRONLY));
    expect_failure(open("../missing", O_RDONLY));
    expect_failure(open("/tmp/missing/limited", O_CREAT | O_WRONLY, 0600));
    expect_failure(opendir("/root") == NULL ? -1 : 0);
    expect_failure(mkdir("/limited", 0700));
    expect_failure(unlink("/bin/sh"));
    expect_failure(rename("/etc/passwd", "/etc/limited"));
    expect_failure(rename("/etc/passwd", "limited"));
    expect_failure(rename("given", "/etc/limited"));
    expect_failure(rename("given", "/dev/shm/missing/limited"));
    if (mkdir("closed", 0200) != 0)
        exit(3);
    expect_failure(mkdir("closed/folder", 0700));
    expect_failure(rename("closed", "closed/folder"));
    expect_failure(rmdir("closed") == 0 ? -1 : 0);
    expect_failure(chmod("/etc/passwd", 0600));
    expect_failure(chmod("/tmp", 0700));
    expect_failure(link(".", "itself"));
    expect_failure(access("/etc/shadow", R_OK));
    expect_failure(access("/etc/passwd", W_OK));
    enter("/");
    expect_failure(open("limited", O_CREAT | O_WRONLY, 0600));
    set_limit(RLIMIT_NOFILE, RLIM_INFINITY, RLIM_INFINITY);
    set_limit(RLIMIT_NOFILE, 20, 10);
    set_limit(RLIMIT_RTPRIO, 50, RLIM_INFINITY);
}

/* A mode protects the file, and the other is only read. */
static void fail_to_open(const char *folder)
{
    if (chdir(folder) != 0 || open("own", O_CREAT | O_WRONLY, 0400) < 0)
        exit(3);
    expect_failure(open("own", O_WRONLY));
    expect_failure(open("/proc/1/mem", O_RDONLY));
    expect_failure(open("/nonexistent", O_WRONLY));
    (void)unlink("own");
}

int main(int argc, char **argv)
{
    const char *act = argc > 1 ? argv[1] : "";
    if (strncmp(act, "lowered ", strlen("lowered ")) == 0) {
        lower_limits();
        act += strlen("lowered ");
    }
    if (strcmp(act, "data") == 0) {
        lower_limit_of_data();
        act = "memory";
    }
    if (strcmp(act, "memory") == 0)
        free(malloc(900000000));
    else if (strcmp(act, "descriptors") == 0)
        use_up_descriptors();
    else if (strcmp(act, "number") == 0)
        expect_failure(dup2(STDIN_FILENO, 900));
    else if (strcmp(act, "lowest number") == 0)
        expect_failure(fcntl(STDIN_FILENO, F_DUPFD, 900));
    else if (strstr(act, " size") != NULL)
        write_large_file(act);
    else if (strcmp(act, "own signals") == 0)
        raise_own_signals();
    else if (strcmp(act, "bad call") == 0)
        (void)raise(SIGSYS);
    else if (strcmp(act, "blocked time") == 0)
        use_up_time_deaf();
    else if (strcmp(act, "time") == 0)
        use_up_time();
    else if (strcmp(act, "lock") == 0)
        lock_memory();
    else if (strcmp(act, "threads") == 0)
        start_processes_and_thread();
    else if (strcmp(act, "processes") == 0)
        use_up_processes();
    else if (strcmp(act, "bytes") == 0)
        write_bytes(20000);
    else if (strcmp(act, "handler") == 0)
        set_handler();
    else if (strcmp(act, "session") == 0)
        (void)setsid();
    else if (strcmp(act, "shell") == 0)
        spawn_shell();
    else if (strcmp(act, "files") == 0)
        change_files(argv[2]);
    else if (strcmp(act, "climb") == 0)
        climb(argv[2]);
    else if (strcmp(act, "list") == 0)
        list(argv[2]);
    else if (strcmp(act, "let list") == 0)
        let_list(argv[2]);
    else if (strcmp(act, "limits") == 0)
        raise_limits();
    else if (strcmp(act, "soft limit") == 0)
        raise_soft_limit();
    else if (strcmp(act, "given") == 0)
        change_given_file(argv[2]);
    else if (strcmp(act, "move") == 0)
        move(argv[2]);
    else if (strcmp(act, "terminal") == 0)
        expect_failure(open("/dev/tty", O_RDWR));
    else if (strcmp(act, "wrong") == 0)
        do_wrong(argv[2]);
    else if (strcmp(act, "own") == 0)
        fail_to_open(argv[2]);
    return 0;
}
