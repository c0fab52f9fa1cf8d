/* Limits that a program has set for itself: what it then reaches is not the lab's limit. */
#include "own_limits.h"

#include "child.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LIMITS_BYTES = 4096, NAME_COLUMNS = 26 };

/* The resources that a limit is about. */
static const int resources[LIMITS][2] = {
    [MEMORY] = {RLIMIT_AS, RLIMIT_DATA},          [CHILDREN] = {RLIMIT_NPROC, RLIMIT_NPROC},
    [DESCRIPTORS] = {RLIMIT_NOFILE, RLIMIT_NOFILE}, [FILE_SIZE] = {RLIMIT_FSIZE, RLIMIT_FSIZE},
    [CPU_TIME] = {RLIMIT_CPU, RLIMIT_CPU},        [LOCKED_MEMORY] = {RLIMIT_MEMLOCK, RLIMIT_MEMLOCK}};

/* In /proc/PID/limits, each limit has a line, by its number, below the heads. Everybody may read it, and it is there
 * until the process is reaped. prlimit needs a privilege if the process has another uid. */
static bool read_soft_limit(pid_t pid, int resource, rlim_t *soft)
{
    char path[PATH_MAX];
    char text[LIMITS_BYTES];
    (void)snprintf(path, sizeof path, "/proc/%d/limits", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *line = text;
    for (int number = 0; number <= resource && line != NULL; number++) {
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    if (line == NULL || strlen(line) <= NAME_COLUMNS)
        return false;
    *soft = line[NAME_COLUMNS] == 'u' ? RLIM_INFINITY : strtoull(line + NAME_COLUMNS, NULL, 10);
    return true;
}

/* Return whether a process has less than it was given. The kernel itself raises the limit of CPU time by a second when
 * it is reached. */
bool is_lowered(const struct plan *plan, pid_t pid, enum limit limit)
{
    for (size_t i = 0; i < LENGTH(resources[limit]); i++) {
        const int resource = resources[limit][i];
        struct rlimit given = {0};
        rlim_t soft = 0;
        if (!find_limit(plan, (unsigned long long)resource, &given) && getrlimit((unsigned)resource, &given) != 0)
            continue;
        if (read_soft_limit(pid, resource, &soft) && soft < given.rlim_cur)
            return true;
    }
    return false;
}
