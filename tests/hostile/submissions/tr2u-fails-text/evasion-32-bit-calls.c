/* Evasion: makes calls by int 0x80, whose numbers mean other calls (on arm64, where there are none, it just dies). */
#include "attack.h"

static void attack(void)
{
#if defined(__x86_64__)
    long result = 4;
    __asm__ volatile("int $0x80" : "+a"(result) : "b"(2L), "c"("x"), "d"(1L) : "memory", "r8", "r9", "r10", "r11");
#else
    raise(SIGSYS);
#endif
}
