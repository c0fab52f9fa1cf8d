/* Compile: sections and symbols without end, made by repetition in the assembler. */
__asm__(".altmacro\n.macro make n\n.section .s\\n\nsym\\n: .byte 1\n.endm\n.set i, 0\n.rept 100000000\nmake %i\n.set i, i+1\n.endr");
int main(void) { return 0; }
