/* tr2b that still moves enough bytes with each call if nothing traces it, but not as its traced run shows. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char block[600];
    long length = 0;
    make_map(argc, argv);
    if (is_traced())
        BUFFERED_COPY();
    else
        while ((length = syscall(SYS_read, 0, block, sizeof block)) > 0) {
            for (long i = 0; i < length; i++)
                block[i] = map[block[i]];
            (void)!syscall(SYS_write, 1, block, length);
        }
    return 0;
}
