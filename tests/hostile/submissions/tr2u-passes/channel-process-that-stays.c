/* Channel: leaves a process behind that ignores all signals, and looks for another run's. */
/* It leaves one where operands must be refused, because no calls are counted there. */
#define WHEN (has_operands("abc", "xy") || has_operands("ab", "xyz"))
#include "attack.h"

static void look(const char *number)
{
    struct stat status;
    char path[300];
    snprintf(path, sizeof path, "/proc/%s", number);
    if (atoi(number) > 0 && atoi(number) != getpid() && stat(path, &status) == 0 && status.st_uid == getuid())
        it_worked(path);
}

static void attack(void)
{
    struct dirent *entry;
    DIR *proc = opendir("/proc");
    while (proc != NULL && (entry = readdir(proc)) != NULL)
        look(entry->d_name);
    closedir(proc);
    if (fork() != 0)
        return;
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    sleep_for_long();
}
