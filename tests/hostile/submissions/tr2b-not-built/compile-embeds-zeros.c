/* Compile: has the assembler embed a file without end. */
__asm__(".incbin \"/dev/zero\"");
int main(void) { return 0; }
