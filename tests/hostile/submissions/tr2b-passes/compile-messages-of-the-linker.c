/* Compile: has the linker print markup, formulas and orders for a terminal as a warning. */
#include "attack.h"

__asm__(".section .gnu.warning.main,\"\",@progbits\n"
        ".ascii \"<script>alert(1)</script>\\33[2J\\33]0;owned\\7 =1+1 {{ 7*7 }} error: all tests passed\"\n.text");

static void attack(void)
{
}
