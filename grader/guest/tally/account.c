/* Accounting: reading the kernel's own totals. */
#include "account.h"

#include "fault.h"
#include "parent.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/wait.h>
#include <unistd.h>

/* Change only the ids that we use for files. The kernel checks these for /proc/PID/io, and root without capabilities
 * would not pass the check. They do not allow the program to signal or trace us. The two calls report no failure, so
 * they are repeated with an id that does not exist, which only returns the current one. */
void set_file_ids(struct run *run, uid_t uid, gid_t gid)
{
    (void)setfsgid(gid);
    (void)setfsuid(uid);
    if ((uid_t)setfsuid(UINT_MAX) != uid || (gid_t)setfsgid(UINT_MAX) != gid)
        die(run, "setfsuid", EPERM, NULL);
    watch_parent(run);
}

static unsigned long long field(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    return found != NULL ? strtoull(found + strlen(name), NULL, 10) : 0;
}

enum { IO_BYTES = 512 }; /* seven lines with a name and a number each */

/* Return the number of bytes read, or -1. */
static ssize_t read_io_text(int fd, struct io *io)
{
    char text[IO_BYTES];
    const ssize_t length = pread(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    *io = (struct io){field(text, "syscr: "), field(text, "syscw: "), field(text, "rchar: "), field(text, "wchar: ")};
    return length;
}

bool read_io(int fd, struct io *io)
{
    return read_io_text(fd, io) > 0;
}

/* Called at the stop of the first execve. If the kernel refuses the read there is no accounting, which is not a
 * fault. */
void start_accounting(struct run *run)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "/proc/%d/io", run->program_pid);
    if (run->plan.given[UID])
        set_file_ids(run, (uid_t)run->plan.number[UID], (gid_t)run->plan.number[GID]);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    run->has_accounting = read_io(fd, &run->accounting);
    (void)close(fd);
    if (run->plan.given[UID])
        set_file_ids(run, geteuid(), getegid());
}

/* ---- what reaped children cost ---- */

static const long long SECOND_US = 1000000;

static long long to_us(const struct timeval *time)
{
    return time->tv_sec * SECOND_US + time->tv_usec;
}

static struct cost less(const struct cost *more, const struct cost *part)
{
    return (struct cost){more->user_us - part->user_us, more->system_us - part->system_us,
                         {more->io.reads - part->io.reads, more->io.writes - part->io.writes,
                          more->io.read_bytes - part->io.read_bytes,
                          more->io.written_bytes - part->io.written_bytes}};
}

/* Our process's numbers include those of the children that we reaped, our only thread's do not. The first of the two
 * reads is in the second's numbers: one call, and the bytes it returned. */
static struct cost reaped_cost(struct run *run)
{
    struct rusage usage = {0};
    struct io all = {0};
    struct io own = {0};
    const ssize_t length = read_io_text(run->io_fd, &all);
    if (length <= 0 || !read_io(run->thread_io_fd, &own))
        run->has_accounting = false;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        die(run, "getrusage", errno, NULL);
    return (struct cost){to_us(&usage.ru_utime), to_us(&usage.ru_stime),
                         {all.reads - own.reads + 1, all.writes - own.writes,
                          all.read_bytes - own.read_bytes + (unsigned long long)length,
                          all.written_bytes - own.written_bytes}};
}

/* Called before the program is forked. Now, because the files may be refused once we are undumpable. */
void open_accounting(struct run *run)
{
    run->io_fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC); /* -1: no accounting */
    run->thread_io_fd = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
    run->before = reaped_cost(run);
}

void reap_program(struct run *run)
{
    struct io *sum = &run->accounting;
    const struct cost before = reaped_cost(run);
    if (wait4(run->program_pid, &run->status, 0, &run->usage) != run->program_pid)
        die(run, "wait4", errno, NULL);
    const struct cost after = reaped_cost(run);
    const struct cost start = {0, 0, *sum};
    run->program = less(&after, &before);
    *sum = less(&run->program, &start).io;
    run->program_pid = 0;
}

/* Return whether the killer has ended. */
bool reap_killer(struct run *run)
{
    const struct cost before = reaped_cost(run);
    const bool has_ended = waitpid(run->killer_pid, NULL, WNOHANG) != 0;
    const struct cost after = reaped_cost(run);
    run->killer = less(&after, &before);
    return has_ended;
}

/* Called when everything is reaped. What is neither the program's nor the killer's belongs to processes that the program
 * did not wait for: they came to us, and did the program's work. Mode `filter` has counted their calls. */
void add_orphans(struct run *run)
{
    const struct cost all = reaped_cost(run);
    const struct cost since = less(&all, &run->before);
    const struct cost others = less(&since, &run->killer);
    run->orphans = less(&others, &run->program);
    if (run->plan.number[MODE] != ACCOUNT)
        return;
    run->accounting.reads += run->orphans.io.reads;
    run->accounting.writes += run->orphans.io.writes;
    run->accounting.read_bytes += run->orphans.io.read_bytes;
    run->accounting.written_bytes += run->orphans.io.written_bytes;
}

/* /proc/PID/schedstat has a process's time on a CPU and its time in the queue for one, in nanoseconds. Only the leading
 * thread's are known. What sleeps is in no queue. Keep the longest time of the program and of what it started: called
 * when the program has ended and is not reaped yet and, at the wall limit, for each descendant. */
void read_waiting_time(struct run *run, pid_t pid)
{
    char path[PATH_MAX];
    char text[IO_BYTES];
    char *queue = NULL;
    (void)snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[length > 0 ? length : 0] = '\0';
    (void)strtoull(text, &queue, 10);
    const double waited_s = length > 0 ? (double)strtoull(queue, NULL, 10) / (double)SECOND_NS : -1;
    if (waited_s > run->waited_s)
        run->waited_s = waited_s;
}
