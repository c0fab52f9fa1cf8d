/* What depends on the architecture's registers: refusing a call that is about to begin, and seeing that a signal has
 * interrupted one that is not stopped. */
#include "registers.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

/* What the kernel's calls return within it when a signal interrupts them: ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND,
 * ERESTART_RESTARTBLOCK. No program sees these numbers. */
bool is_restart(long long result)
{
    return (result <= -512 && result >= -514) || result == -516;
}

#if defined(__x86_64__)

/* The kernel looks at the number again after the stop, and makes no call for -1. */
bool cancel_call(pid_t tid)
{
    return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), -1L) == 0;
}

bool set_result(pid_t tid, long result)
{
    return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), result) == 0;
}

/* orig_rax is the number of a call that the thread comes from, and -1 if it does not come from one. */
bool read_interrupted_call(pid_t tid, struct call *call)
{
    struct user_regs_struct registers = {0};
    struct iovec vector = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) != 0)
        return false;
    *call = (struct call){registers.orig_rax, {registers.rdi, registers.rsi, registers.rdx}};
    return (long long)registers.orig_rax >= 0 && is_restart((long long)registers.rax);
}

#else

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif
static const uint32_t SVC = 0xd4000001; /* the instruction that makes a call, 4 bytes as all of them */

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

/* Before it tells us of a signal, the kernel has set an interrupted thread back to where it made the call, ready to
 * make it again. A thread that just got there by itself looks the same; the caller knows by its count of calls. */
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
