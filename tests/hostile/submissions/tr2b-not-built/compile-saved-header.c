/* Compile: loads a saved header, which holds the compiler's own memory. */
#pragma GCC pch_preprocess "/etc/passwd"
int main(void) { return 0; }
