/* Evasion: gets its input by splice through a pipe, a block at a time. */
#define _GNU_SOURCE
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char block[4096];
    long length;
    int ends[2];
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    if (pipe(ends) != 0)
        return 1;
    while (splice(0, NULL, ends[1], NULL, sizeof block, 0) > 0 &&
           (length = syscall(SYS_read, ends[0], block, sizeof block)) > 0)
        for (long i = 0; i < length; i++)
            (void)!write(1, &map[block[i]], 1);
    return 0;
}
