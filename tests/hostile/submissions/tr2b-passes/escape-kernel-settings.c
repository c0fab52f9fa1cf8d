/* Escape: changes settings of the kernel and of its own control group. */
#include "attack.h"

static void attack(void)
{
    static const char *const paths[] = {
        "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches",
        "/proc/sys/kernel/randomize_va_space", "/proc/sys/fs/binfmt_misc/register", "/proc/sysrq-trigger",
        "/proc/sys/kernel/pid_max", "/proc/sys/kernel/ns_last_pid", "/sys/kernel/uevent_helper",
        "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/pids/pids.max",
        "/proc/self/uid_map", "/proc/self/gid_map", "/proc/self/setgroups",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const int fd = open(paths[i], O_WRONLY);
        if (fd >= 0 && write(fd, "1", 1) == 1)
            it_worked(paths[i]);
        close(fd);
    }
}
