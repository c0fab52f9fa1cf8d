/* The sweep: nothing that the program started stays behind. */
#include "sweep.h"

#include "account.h"
#include "filter.h"
#include "tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STOP_TRIES = 100, /* one brief wait each; what has not stopped by then is killed with the rest */
    LINE_BYTES = 1024,
};

/* Once the killer has the uid, processes of that uid may stop or kill it before it kills them. Then the attempt has
 * failed, and the rest of the sweep, which does not need the uid, has more to do. */
static void trigger_killer(struct run *run)
{
    const long long deadline_ns = now_ns() + SECOND_NS;
    (void)close(run->killer_pipe);
    while (!reap_killer(run) && now_ns() < deadline_ns)
        wait_briefly();
    run->killer_pid = 0;
}

/* Return the parent of a process, or 0, and its state. The name in /proc/PID/stat may contain any byte, but after it
 * there is no `)`. */
static pid_t parent_of(pid_t pid, char *state)
{
    char path[PATH_MAX];
    char line[LINE_BYTES];
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

/* Return the next of everything that the program started (parents, children and orphans), or 0. */
static pid_t next_descendant(DIR *proc, char *state)
{
    const struct dirent *entry = NULL;
    long long pid = 0;
    while (proc != NULL && (entry = readdir(proc)) != NULL)
        if (parse_number(entry->d_name, &pid) && is_descendant((pid_t)pid, state))
            return (pid_t)pid;
    if (proc != NULL)
        (void)closedir(proc);
    return 0;
}

/* A program may sleep while what it started waits for a CPU. */
void read_waiting_times(struct run *run)
{
    DIR *proc = opendir("/proc");
    char ignored = 0;
    for (pid_t pid = 0; (pid = next_descendant(proc, &ignored)) != 0;)
        read_waiting_time(run, pid);
}

/* Signal everything that the program started, and return how many of them were running. */
static int signal_descendants(int number)
{
    DIR *proc = opendir("/proc");
    char state = 0;
    int running = 0;
    for (pid_t pid = 0; (pid = next_descendant(proc, &state)) != 0;) {
        running += strchr("TtZX", state) == NULL;
        (void)kill(pid, number);
    }
    return running;
}

/* For processes that do not have the uid, or when there is no uid. Killing one process after another frees places,
 * which a fork bomb fills again. A stopped process frees none, and neither does a zombie that is not reaped. So all
 * processes are stopped first, until none is found running, and then killed. This needs a limit of processes that the
 * bomb has reached. */
static void kill_descendants(void)
{
    for (int tries = 0; tries < STOP_TRIES && signal_descendants(SIGSTOP) > 0; tries++)
        wait_briefly();
    (void)signal_descendants(SIGKILL);
    wait_briefly();
}

/* In mode `filter` a killed process stops once more at its end, and a process that is born meanwhile stops at its
 * start. */
static void kill_stopped(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    (void)ptrace(PTRACE_CONT, pid, NULL, NULL);
}

/* Kill and reap everything that is left; return false if something does not end. The program's process group comes
 * first and at once, while the program is not reaped and so nobody else can have its number. */
bool sweep(struct run *run)
{
    const long long deadline_ns = now_ns() + TIMEOUT_NS;
    pid_t pid = 0;
    int status = 0;
    if (!run->has_children)
        return true;
    run->has_children = false;
    forget_threads(&run->filter);
    if (run->program_pid > 0) {
        (void)kill(-run->program_pid, SIGKILL);
        (void)kill(run->program_pid, SIGKILL);
    }
    if (run->killer_pid > 0)
        trigger_killer(run);
    while ((pid = waitpid(-1, &status, WNOHANG)) >= 0) {
        if (now_ns() > deadline_ns)
            return false;
        if (pid > 0 && WIFSTOPPED(status))
            kill_stopped(pid);
        else if (pid > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && kill(pid, 0) != 0)
            run->left_processes++; /* a tracer sees an end before the parent does, which may be us later */
        if (pid == 0)
            kill_descendants();
    }
    return errno == ECHILD;
}
