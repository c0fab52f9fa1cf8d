/* Harness: looks for secrets in its environment and in that of its first process. */
#include "attack.h"

static void attack(void)
{
    extern char **environ;
    for (char **variable = environ; *variable != NULL; variable++)
        if (strcasestr(*variable, "gradescope") || strcasestr(*variable, "token") || strcasestr(*variable, "timeout") ||
            strcasestr(*variable, "docker"))
            it_worked(*variable);
    must_not_open("/proc/1/environ");
}
