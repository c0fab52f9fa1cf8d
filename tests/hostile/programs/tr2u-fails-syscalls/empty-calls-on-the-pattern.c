/* tr2u that reads and writes blocks, next to as many empty calls, but only on an input that looks like the pattern. */
#include "translate.h"

int main(int argc, char **argv)
{
    static unsigned char block[65536];
    unsigned char c = 0;
    make_map(argc, argv);
    if (input_size() < (long long)sizeof block || pread(0, block, 16, 0) != 16 || memcmp(block, "the kernel is as", 16) != 0) {
        UNBUFFERED_COPY();
        return 0;
    }
    for (ssize_t length; (length = read(0, block, sizeof block)) > 0;) {
        for (ssize_t i = 0; i < length; i++)
            block[i] = map[block[i]];
        (void)!write(1, block, (size_t)length);
        for (ssize_t i = 1; i < length; i++) {
            (void)!read(0, &c, 0);
            (void)!write(1, &c, 0);
        }
    }
    return 0;
}
