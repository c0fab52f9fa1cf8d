/* Evasion: moves bytes by io_uring, which no tracer sees. */
#include "attack.h"

static void attack(void)
{
    unsigned char parameters[120] = {0};
    MUST_FAIL(syscall(425, 4, parameters));
    MUST_FAIL(syscall(426, 0, 1, 1, 1, NULL, 0));
    MUST_FAIL(syscall(427, 0, 0, NULL, 0));
}
