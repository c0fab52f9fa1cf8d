/* Compile: includes the machine's passwords. */
#include "/etc/shadow"
int main(void) { return 0; }
