/* Compile: has the assembler embed a file that is the grader's alone. */
__asm__(".incbin \"@CANARY@/closed\"");
int main(void) { return 0; }
