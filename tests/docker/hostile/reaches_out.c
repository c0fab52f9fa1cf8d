/* Tries everything that student code must not reach. If something works, ends with a status that says what. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static const char *const CLOSED[] = {
    "/autograder", "/autograder/source", "/autograder/source/lab.yaml", "/autograder/results",
    "/autograder/results/results.json", "/autograder/results/stdout", "/autograder/submission_metadata.json",
    "/autograder/submission", "/autograder/run_autograder", "/autograder/harness.py", "/opt/iolab-grader",
    "/opt/iolab-grader/cache", "/opt/iolab-grader/venv/bin/grader", "/proc/1/environ", "/proc/1/mem", "/proc/1/fd",
    "/proc/1/cwd/results/results.json", "/proc/1/root/autograder/results/results.json", "/root",
};
static const char *const FOLDERS[] = {
    "/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", "/var/lock", "/dev/mqueue", "/autograder", "/autograder/results", "/", "/opt",
};

static void worked(int status)
{
    _exit(status);
}

static void try_process(int pid)
{
    char path[64];
    const char *const secrets[] = {"environ", "mem", "fd/0", "fd/1", "maps"};
    for (unsigned i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        (void)snprintf(path, sizeof path, "/proc/%d/%s", pid, secrets[i]);
        if (open(path, O_RDONLY) >= 0 || open(path, O_WRONLY) >= 0)
            worked(91);
    }
    if (kill(pid, SIGKILL) == 0)
        worked(92);
    if (ptrace(PTRACE_ATTACH, pid, 0, 0) == 0)
        worked(93);
}

static void act(void)
{
    char path[256];
    for (unsigned i = 0; i < sizeof CLOSED / sizeof *CLOSED; i++)
        if (open(CLOSED[i], O_RDONLY) >= 0 || open(CLOSED[i], O_WRONLY | O_CREAT, 0666) >= 0 ||
            chmod(CLOSED[i], 0777) == 0 || unlink(CLOSED[i]) == 0)
            worked(94);
    for (unsigned i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        (void)snprintf(path, sizeof path, "%s/left-behind", FOLDERS[i]);
        if (open(path, O_WRONLY | O_CREAT, 0666) >= 0 || mkdir(path, 0777) == 0 || symlink("/etc/passwd", path) == 0)
            worked(95);
    }
    for (char **variable = environ; *variable != NULL; variable++)
        if (strstr(*variable, "radescope") != NULL || strstr(*variable, "TOKEN") != NULL ||
            strstr(*variable, "TIMEOUT") != NULL)
            worked(96);
    for (int fd = 3; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            worked(97);
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
        worked(98);
    if (setuid(0) == 0 || getuid() == 0)
        worked(99);
    for (int pid = 1; pid < 400; pid++)
        if (pid != getpid() && (kill(pid, 0) == 0 || errno != ESRCH))
            try_process(pid);
}
