/* Resources: a bomb of processes that share memory. */
#include "attack.h"

static void attack(void)
{
    for (;;)
        (void)syscall(SYS_clone, CLONE_FS | SIGCHLD, NULL, NULL, NULL, NULL);
}
