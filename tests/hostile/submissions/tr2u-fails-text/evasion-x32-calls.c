/* Evasion: makes calls by x32 numbers (on arm64, where there are none, it just dies). */
#include "attack.h"

static void attack(void)
{
#if defined(__x86_64__)
    (void)syscall(0x40000000 + SYS_write, 2, "x", 1);
#else
    raise(SIGSYS);
#endif
}
