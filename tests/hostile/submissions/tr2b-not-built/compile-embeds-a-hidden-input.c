/* Compile: has the assembler embed a hidden input, for the program to print. */
#include <stdio.h>
__asm__(".globl hidden\nhidden: .incbin \"/work/inputs/secret-letters\"");
extern const char hidden[];
int main(void) { return fputs(hidden, stderr); }
