/* Compile: ends before main. */
#include <unistd.h>
__attribute__((constructor)) static void end(void) { _exit(5); }
int main(void) { return 0; }
