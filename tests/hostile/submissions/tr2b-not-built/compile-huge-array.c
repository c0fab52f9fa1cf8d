/* Compile: an array of 400,000,000 bytes that are not all zero. */
int many[100000000] = {1};
int main(void) { return 0; }
