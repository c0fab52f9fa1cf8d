/* tr2b with small blocks on copies of its descriptors, after it has copied properly on the standard ones. */
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
    struct stat output;
    make_map(argc, argv);
    BUFFERED_COPY();
    fflush(stdout);
    if (input_size() >= 65536 && fstat(1, &output) == 0 && S_ISREG(output.st_mode)) {
        lseek(0, 0, SEEK_SET);
        lseek(1, 0, SEEK_SET);
        copy_small_blocks(dup(0), dup(1));
    }
    return 0;
}
