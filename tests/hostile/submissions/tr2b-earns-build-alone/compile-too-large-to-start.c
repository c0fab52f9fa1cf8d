/* Compile: a program whose data takes more memory than there is. */
char much[1L << 40];
int main(void) { return much[1] == 0; }
