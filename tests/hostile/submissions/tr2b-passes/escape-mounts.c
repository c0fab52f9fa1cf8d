/* Escape: mounts, unmounts, changes its root and its namespaces. */
#include "attack.h"

static void attack(void)
{
    MUST_FAIL(mount("none", ".", "tmpfs", 0, NULL));
    MUST_FAIL(mount("/proc", ".", NULL, MS_BIND, NULL));
    MUST_FAIL(mount(NULL, "/", NULL, MS_REMOUNT, NULL));
    MUST_FAIL(umount2("/proc", MNT_DETACH));
    MUST_FAIL(syscall(SYS_pivot_root, ".", "."));
    MUST_FAIL(chroot("."));
    MUST_FAIL(unshare(CLONE_NEWUSER));
    MUST_FAIL(unshare(CLONE_NEWNS));
    MUST_FAIL(unshare(CLONE_NEWPID));
    MUST_FAIL(unshare(CLONE_NEWNET));
    MUST_FAIL(setns(open("/proc/self/ns/mnt", O_RDONLY), 0));
    MUST_FAIL(syscall(SYS_open_by_handle_at, AT_FDCWD, "", O_RDONLY));
    MUST_FAIL(syscall(428, AT_FDCWD, "/", 1)); /* open_tree */
    MUST_FAIL(syscall(430, "tmpfs", 0));       /* fsopen */
}
