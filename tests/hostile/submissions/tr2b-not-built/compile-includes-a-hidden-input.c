/* Compile: includes a hidden input, so that the compiler's message shows it. */
#include "/work/inputs/secret-letters"
int main(void) { return 0; }
