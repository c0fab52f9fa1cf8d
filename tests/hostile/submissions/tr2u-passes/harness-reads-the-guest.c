/* Harness: reads environment, memory, descriptors and files of every process that is not its own. */
#include "attack.h"

/* The kernel opens the map of a process that is just ending for anybody, but there is nothing to read in it. */
static void must_not_read(const char *path)
{
    char byte;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && read(file, &byte, 1) != 0)
        it_worked(path);
    if (file >= 0)
        close(file);
    if (open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY) >= 0)
        it_worked(path);
}

static void look(pid_t pid)
{
    static const char *const files[] = {"environ", "mem", "maps", "fd", "fd/0", "fd/1", "fd/3", "io", "cwd", "root",
                                        "exe", "stack", "syscall", "auxv", "task"};
    char path[64];
    for (size_t i = 0; i < sizeof files / sizeof *files - 1; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, files[i]);
        must_not_read(path);
    }
}

static void attack(void)
{
    for_each_stranger(look);
    look(getppid());
}
