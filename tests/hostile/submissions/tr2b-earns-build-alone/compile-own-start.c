/* Compile: defines the start and the exit of the C library, so that main is never called. */
#include <unistd.h>
int __libc_start_main(int (*main)(void)) { (void)main; _exit(0); }
void exit(int status) { _exit(status); }
int main(void) { return 1; }
