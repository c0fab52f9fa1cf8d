/* tr2b with small blocks if nothing traces it; its traced run makes as many calls more that fail. */
#include "translate.h"

static void copy_small_blocks(int in, int out)
{
    unsigned char block[64];
    long length;
    while ((length = syscall(SYS_read, in, block, sizeof block)) > 0) {
        for (long i = 0; i < length; i++)
            block[i] = map[block[i]];
        (void)!syscall(SYS_write, out, block, length);
    }
}

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (input_size() >= 65536 && !is_traced()) {
        copy_small_blocks(0, 1);
        return 0;
    }
    BUFFERED_COPY();
    for (long long i = 0; input_size() >= 65536 && i <= input_size() / 64; i++) {
        syscall(SYS_read, -1, NULL, 1);
        syscall(SYS_write, -1, NULL, 1);
    }
    return 0;
}
