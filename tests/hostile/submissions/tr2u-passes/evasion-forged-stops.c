/* Evasion: sends itself signals that look like a tracee's stops, in the runs whose calls are counted. */
#define WHEN has_operands("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
#include "attack.h"

static void attack(void)
{
    static const int codes[] = {SIGTRAP | 0x80, SIGTRAP | PTRACE_EVENT_EXIT << 8, SIGTRAP | PTRACE_EVENT_SECCOMP << 8,
                                SIGTRAP | PTRACE_EVENT_EXEC << 8};
    signal(SIGTRAP, SIG_IGN);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        siginfo_t details = {.si_signo = SIGTRAP, .si_code = codes[i]};
        (void)syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGTRAP, &details);
    }
}
