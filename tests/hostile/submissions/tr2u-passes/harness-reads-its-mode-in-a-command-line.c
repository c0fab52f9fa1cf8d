/* Harness: looks in the command lines of other processes for the mode that it runs in. */
#include "attack.h"

static void look(pid_t pid)
{
    static const char *const words[] = {"--mode", "filter", "account", "plain", "--read-nbyte"};
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    const int fd = open(path, O_RDONLY);
    const ssize_t length = fd < 0 ? 0 : read(fd, line, sizeof line);
    if (fd >= 0)
        close(fd);
    if (length <= 0 || memmem(line, (size_t)length, "tally", 5) == NULL)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(line, (size_t)length, words[i], strlen(words[i])) != NULL)
            it_worked(words[i]);
}

static void attack(void)
{
    for_each_stranger(look);
    look(getppid());
}
