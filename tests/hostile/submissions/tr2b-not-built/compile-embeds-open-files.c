/* Compile: has the assembler embed the memory map, command line and open files of the compiler's parents. */
__asm__(".incbin \"/proc/1/maps\"\n.incbin \"/proc/self/fd/100\"\n.incbin \"/proc/1/fd/0\"\n.incbin \"/dev/tty\"");
int main(void) { return 0; }
