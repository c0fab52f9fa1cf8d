/* Harness: reads and writes the memory of every process by number. */
#include "attack.h"

static void change(pid_t pid)
{
    char bytes[16] = "";
    struct iovec own = {bytes, sizeof bytes}, other = {(void *)0x400000, sizeof bytes};
    char path[64];
    MUST_FAIL(process_vm_readv(pid, &own, 1, &other, 1, 0));
    MUST_FAIL(process_vm_writev(pid, &own, 1, &other, 1, 0));
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    MUST_FAIL(open(path, O_RDWR));
}

static void attack(void)
{
    for_each_stranger(change);
    change(getppid());
}
