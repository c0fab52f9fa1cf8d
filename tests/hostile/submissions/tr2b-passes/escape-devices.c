/* Escape: makes and opens devices: disks, memory, the kernel's log, terminals, virtual machines. */
#include "attack.h"

static void attack(void)
{
    static const char *const paths[] = {"/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/sda", "/dev/vda",
                                        "/dev/nvme0n1", "/dev/loop0", "/dev/loop-control", "/dev/fuse", "/dev/kvm",
                                        "/dev/net/tun", "/dev/tty0", "/dev/tty1", "/dev/ttyS0", "/dev/console", "/dev/vsock",
                                        "/dev/input/event0", "/proc/kcore", "/proc/kmsg", "/proc/kallsyms/x"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        must_not_open(paths[i]);
    MUST_FAIL(mknod("disk", S_IFBLK | 0666, (8 << 8)));
    MUST_FAIL(mknod("memory", S_IFCHR | 0666, (1 << 8) | 1));
}
