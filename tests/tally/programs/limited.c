/* Reaches a limit, or makes a call that the guard refuses, and goes on. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    if (strcmp(act, "memory") == 0)
        free(malloc(900000000));
    else if (strcmp(act, "descriptors") == 0)
        use_up_descriptors();
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
