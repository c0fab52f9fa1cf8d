/* Compile: has the assembler repeat a line a thousand million times. */
__asm__(".rept 1000000000\n.quad 1\n.endr");
int main(void) { return 0; }
