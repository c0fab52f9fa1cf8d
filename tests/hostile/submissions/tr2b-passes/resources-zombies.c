/* Resources: leaves dead children that nobody waits for, as many as it may. */
#include "attack.h"

static void attack(void)
{
    for (int i = 0; i < 1000; i++) {
        const pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        if (pid < 0)
            break;
    }
}
