/* Compile: includes files that the compiler and its parents have open, and folders above the sources. */
#include "/proc/self/fd/3"
#include "/proc/self/fd/100"
#include "../../inputs/stdin"
#include "../out/stdout"
int main(void) { return 0; }
