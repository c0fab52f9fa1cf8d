/* Compile: hands the linker a script in an option of the object file, and a symbol that is nowhere. */
__asm__(".section .drectve\n.ascii \"-T /etc/passwd\"\n.text");
extern int nowhere(void);
int main(void) { return nowhere(); }
