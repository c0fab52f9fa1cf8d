/* Evasion: reads blocks by pread, and makes the reads that are expected without using them. */
#define _GNU_SOURCE
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char block[4096], unused;
    off_t start = 0;
    ssize_t length;
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    for (; (length = pread(0, block, sizeof block, start)) > 0; start += length)
        for (ssize_t i = 0; i < length; i++) {
            (void)!read(0, &unused, 1);
            (void)!write(1, &map[block[i]], 1);
        }
    return read(0, &unused, 1) != 0;
}
