/* Compile: asks the preprocessor whether there is a file that only root may see. */
#if __has_include("/root/.ssh/id_rsa")
#define THERE_IS 1
#endif
int main(void) { return 0; }
