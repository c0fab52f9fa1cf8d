/* Evasion: moves bytes between processes, or into a pipe, without a read or a write. */
#include "attack.h"

static void attack(void)
{
    char bytes[8] = "";
    struct iovec piece = {bytes, sizeof bytes};
    int ends[2];
    if (pipe(ends) != 0)
        return;
    MUST_FAIL(vmsplice(ends[1], &piece, 1, 0));
    MUST_FAIL(process_vm_readv(getpid(), &piece, 1, &piece, 1, 0));
    MUST_FAIL(process_vm_writev(getpid(), &piece, 1, &piece, 1, 0));
    MUST_FAIL(syscall(438, syscall(SYS_pidfd_open, getpid(), 0), 0, 0));
    close(ends[0]);
    close(ends[1]);
}
