/* Evasion: uses parts of the kernel that no lab needs: bpf, userfaultfd, perf events, watches of files. */
#include "attack.h"

static void attack(void)
{
    unsigned char attributes[128] = {1, 0, 0, 0, 112};
    MUST_FAIL(syscall(SYS_bpf, 0, attributes, sizeof attributes));
    MUST_FAIL(syscall(SYS_userfaultfd, 0));
    MUST_FAIL(syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0));
    MUST_FAIL(syscall(SYS_fanotify_init, 0, 0));
}
