/* Harness: sends SIGKILL to everything, and to the group of its parent. */
#include "attack.h"

static void attack(void)
{
    const pid_t group = getpgid(getppid());
    MUST_FAIL(kill(-1, SIGKILL));
    if (group > 1 && group != getpgrp())
        MUST_FAIL(kill(-group, SIGKILL));
}
