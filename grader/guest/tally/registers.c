/* The code that depends on the architecture's registers: cancelling a call that is about to begin, and recognising a
 * call that was interrupted without having been stopped. */
#include "registers.h"

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

/* What calls return inside the kernel when a signal interrupts them: ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND,
 * ERESTART_RESTARTBLOCK. No program sees these numbers. */
bool is_restart(long long result)
{
    return (result <= -512 && result >= -514) || result == -516;
}

#if defined(__x86_64__)

/* The kernel reads the number again after the stop, and makes no call for -1. */
bool cancel_call(pid_t tid)
{
    return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), -1L) == 0;
}

bool set_result(pid_t tid, long result)
{
    return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), result) == 0;
}

/* orig_rax is the number of the call that the thread is in, or -1 if it is not in one. */
bool read_interrupted_call(pid_t tid, struct call *call)
{
    struct user_regs_struct registers = {0};
    struct iovec vector = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) != 0)
        return false;
    *call = (struct call){registers.orig_rax, {registers.rdi, registers.rsi, registers.rdx}};
    return (long long)registers.orig_rax >= 0 && is_restart((long long)registers.rax);
}

/* Return whether a thread is in a call of another architecture: by int 0x80, or one of x32. The kernel has set the
 * registers back to what they were before the call. */
bool is_in_foreign_call(pid_t tid)
{
    static const unsigned long long x32_bit = 0x40000000;
    struct __ptrace_syscall_info info = {0};
    struct user_regs_struct registers = {0};
    struct iovec vector = {&registers, sizeof registers};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) > 0 && info.arch != AUDIT_ARCH_X86_64)
        return true;
    return ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) == 0 &&
           ((registers.orig_rax | registers.rax) & ~0x7fffffffULL) == 0 &&
           ((registers.orig_rax | registers.rax) & x32_bit) != 0;
}

#else

/* A process of arm64 stays one until it executes another program. */
bool is_in_foreign_call(pid_t tid)
{
    (void)tid;
    return false;
}

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif
static const uint32_t SVC = 0xd4000001; /* the instruction that makes a call; like all instructions it has 4 bytes */

bool cancel_call(pid_t tid)
{
    int number = -1;
    struct iovec vector = {&number, sizeof number};
    return ptrace(PTRACE_SETREGSET, tid, (void *)NT_ARM_SYSTEM_CALL, &vector) == 0;
}

bool set_result(pid_t tid, long result)
{
    struct user_regs_struct registers = {0};
    struct iovec vector = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) != 0)
        return false;
    registers.regs[0] = (unsigned long long)result;
    return ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &vector) == 0;
}

/* Before the kernel reports a signal, it sets an interrupted thread back to the instruction of its call, ready to
 * restart it. A thread that just arrived there by itself looks the same. The caller distinguishes them by the count
 * of calls. */
bool read_interrupted_call(pid_t tid, struct call *call)
{
    struct user_regs_struct registers = {0};
    struct iovec vector = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) != 0)
        return false;
    *call = (struct call){registers.regs[8], {registers.regs[0], registers.regs[1], registers.regs[2]}};
    void *call_address = (void *)(uintptr_t)registers.pc;
    errno = 0;
    const long instruction = ptrace(PTRACE_PEEKTEXT, tid, call_address, NULL);
    return errno == 0 && (uint32_t)instruction == SVC;
}

#endif
