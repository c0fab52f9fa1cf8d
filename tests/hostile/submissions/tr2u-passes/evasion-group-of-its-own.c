/* Evasion: leaves the group and the session in which one signal ends it. */
#include "attack.h"

static void attack(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(setsid() >= 0 || setpgid(0, 0) == 0 ? 91 : 0);
    int status = 0;
    if (waitpid(pid, &status, 0) != pid || status != 0)
        it_worked("setsid");
}
