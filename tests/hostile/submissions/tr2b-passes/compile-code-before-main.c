/* Compile: puts code into every section that runs before main. */
#include "attack.h"

static void early(void)
{
    MUST_FAIL(kill(-1, SIGKILL));
}

__attribute__((section(".preinit_array"), used)) static void (*const before_all)(void) = early;
__asm__(".section .init_array,\"aw\"\n.balign 8\n.quad early_by_hand\n.text\nearly_by_hand: ret\n");
__attribute__((destructor)) static void late(void)
{
    early();
}

static void attack(void)
{
    early();
}
