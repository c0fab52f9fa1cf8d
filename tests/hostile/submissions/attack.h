/* What attacks have in common that go before a right program. `attack` runs before main, by default in one case of the
 * check `text`, and main then does what it should. An attack that reaches something says so and ends with a wrong
 * status: the check fails. So full marks mean that nothing was reached. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void attack(void);

/* What the program was started with. */
static char **operands;

static inline int has_operands(const char *from, const char *to)
{
    return operands[0] != NULL && operands[1] != NULL && operands[2] != NULL && strcmp(operands[1], from) == 0 &&
           strcmp(operands[2], to) == 0;
}

/* The cases of the lab that students cannot see, by their operands. */
static inline int is_hidden(void)
{
    return operands[0] != NULL && operands[1] != NULL && strcmp(operands[1], "qzjv") == 0;
}

#ifndef WHEN
#define WHEN has_operands("ab", "ba")
#endif

__attribute__((constructor)) static void attack_first(int argc, char **argv)
{
    (void)argc;
    operands = argv;
    if (WHEN)
        attack();
}

__attribute__((noreturn)) static inline void it_worked(const char *what)
{
    fprintf(stderr, "it worked: %s\n", what);
    _exit(91);
}

/* Something that must be refused, and that fails with -1. */
#define MUST_FAIL(call)         \
    do {                        \
        if ((call) != -1)       \
            it_worked(#call);   \
    } while (0)

static inline void must_not_open(const char *path)
{
    if (open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) >= 0 || open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY) >= 0)
        it_worked(path);
}

static inline void must_not_write(const char *path)
{
    if (open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY, 0666) >= 0 || open(path, O_RDWR | O_NONBLOCK) >= 0)
        it_worked(path);
}

/* Call it for every process of another uid: the guest, its tools, the grader if it is within reach. */
static inline void for_each_stranger(void (*act)(pid_t))
{
    struct dirent *entry;
    struct stat status;
    DIR *proc = opendir("/proc");
    while (proc != NULL && (entry = readdir(proc)) != NULL)
        if (atoi(entry->d_name) > 0 && fstatat(dirfd(proc), entry->d_name, &status, 0) == 0 &&
            status.st_uid != getuid())
            act(atoi(entry->d_name));
    if (proc != NULL)
        closedir(proc);
}

static inline void sleep_for_long(void)
{
    const struct timespec time = {600, 0};
    while (nanosleep(&time, NULL) != 0)
        continue;
}
