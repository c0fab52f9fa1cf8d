/* Reaches a limit, or makes a call that the guard refuses, and goes on. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
static void change_files(void)
{
    char name[] = "/var/tmp/XXXXXX";
    if (tmpfile() != NULL)
        exit(3);
    expect_failure(mkstemp(name));
    expect_failure(mkdir("/dev/shm/limited", 0700));
    expect_failure(rename("/nonexistent", "/dev/shm/limited"));
    expect_failure(unlink("/bin/sh"));
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
        change_files();
    else if (strcmp(act, "own") == 0)
        fail_to_open(argv[2]);
    return 0;
}
