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

/* The first of our two reads is part of the difference: one call, and the bytes it returned. */
void reap_program(struct run *run)
{
    struct io *sum = &run->accounting;
    struct io before = {0};
    struct io after = {0};
    const ssize_t length = read_io_text(run->io_fd, &before);
    if (wait4(run->program_pid, &run->status, 0, &run->usage) != run->program_pid)
        die(run, "wait4", errno, NULL);
    if (length <= 0 || !read_io(run->io_fd, &after))
        run->has_accounting = false;
    *sum = (struct io){after.reads - before.reads - 1 - sum->reads, after.writes - before.writes - sum->writes,
                       after.read_bytes - before.read_bytes - (unsigned long long)length - sum->read_bytes,
                       after.written_bytes - before.written_bytes - sum->written_bytes};
    run->program_pid = 0;
}
