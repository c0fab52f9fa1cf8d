/* Compile: includes what the compiler gets on its standard input, which is empty. */
#include "/dev/stdin"
int main(void) { return missing; }
