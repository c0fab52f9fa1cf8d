/* Compile: adds notes for the kernel and the loader, and asks for a stack with code. */
#include "attack.h"

__asm__(".section .note.GNU-stack,\"x\",@progbits\n"
        ".section .note.evil,\"a\",@note\n.balign 4\n.long 4,1<<20,1\n.asciz \"GNU\"\n"
        ".section .note.GNU-split-stack,\"\",@progbits\n.text");

static void attack(void)
{
}
