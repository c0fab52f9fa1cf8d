/* Evasion: gets its input by splice and tee, and makes the reads that are expected without using them. */
#define _GNU_SOURCE
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char block[4096], unused;
    long length;
    int ends[2], others[2];
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    if (pipe(ends) != 0 || pipe(others) != 0)
        return 1;
    while ((length = splice(0, NULL, ends[1], NULL, sizeof block, 0)) > 0) {
        if (tee(ends[0], others[1], (size_t)length, 0) != length ||
            syscall(SYS_read, others[0], block, length) != length)
            return 1;
        for (long i = 0; i < length; i++)
            (void)!write(1, &map[block[i]], 1);
        (void)!syscall(SYS_read, ends[0], block, length);
    }
    lseek(0, 0, SEEK_SET);
    while (read(0, &unused, 1) == 1)
        continue;
    return 0;
}
