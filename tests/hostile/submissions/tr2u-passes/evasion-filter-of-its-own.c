/* Evasion: installs a seccomp filter that answers calls before the tracer sees them, or that forges its events. */
#include "attack.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

static long install(unsigned flags, unsigned action)
{
    struct sock_filter rules[] = {BPF_STMT(BPF_RET | BPF_K, action)};
    const struct sock_fprog filter = {1, rules};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

static void attack(void)
{
    struct sock_filter rules[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {1, rules};
    MUST_FAIL(install(SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_RET_ALLOW));
    MUST_FAIL(install(0, SECCOMP_RET_TRACE | 7));
    MUST_FAIL(install(0, SECCOMP_RET_ALLOW));
    MUST_FAIL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}
