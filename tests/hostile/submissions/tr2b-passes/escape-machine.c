/* Escape: makes calls that change the whole machine: clock, name, swap, modules, ports. It is not to end it. */
#include "attack.h"

static void attack(void)
{
    const struct timespec now = {1, 0};
    MUST_FAIL(sethostname("owned", 5));
    MUST_FAIL(syscall(SYS_setdomainname, "owned", 5));
    MUST_FAIL(clock_settime(CLOCK_REALTIME, &now));
    MUST_FAIL(syscall(SYS_swapoff, "/none"));
    MUST_FAIL(syscall(SYS_acct, "file"));
    MUST_FAIL(syscall(SYS_init_module, "", 0, ""));
    MUST_FAIL(syscall(SYS_finit_module, 0, "", 0));
    MUST_FAIL(syscall(SYS_delete_module, "none", 0));
    MUST_FAIL(syscall(SYS_kexec_load, 0, 0, NULL, 0));
    MUST_FAIL(syscall(SYS_quotactl, 0, "", 0, NULL));
    MUST_FAIL(syscall(SYS_syslog, 3, "", 0));
#if defined(__x86_64__)
    MUST_FAIL(syscall(SYS_iopl, 3));
    MUST_FAIL(syscall(SYS_ioperm, 0x80, 1, 1));
#endif
}
