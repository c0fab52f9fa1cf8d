/* Compile: includes a file without end that is different each time. */
#include "/dev/urandom"
int main(void) { return 0; }
