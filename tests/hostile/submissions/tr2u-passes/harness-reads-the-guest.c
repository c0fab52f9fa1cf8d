/* Harness: reads environment, memory, descriptors and files of every process that is not its own. */
#include "attack.h"

static void look(pid_t pid)
{
    static const char *const files[] = {"environ", "mem", "maps", "fd", "fd/0", "fd/1", "fd/3", "io", "cwd", "root",
                                        "exe", "stack", "syscall", "auxv", "task"};
    char path[64];
    for (size_t i = 0; i < sizeof files / sizeof *files - 1; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, files[i]);
        must_not_open(path);
    }
}

static void attack(void)
{
    for_each_stranger(look);
    look(getppid());
}
