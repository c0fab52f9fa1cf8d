/* Evasion: gets its input by sendfile into memory, and makes the reads that are expected without using them. */
#define _GNU_SOURCE
#include "translate.h"

#include <sys/sendfile.h>

int main(int argc, char **argv)
{
    unsigned char unused;
    off_t start = 0;
    long long size = input_size();
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    const int copy = (int)syscall(SYS_memfd_create, "input", 0);
    if (sendfile(copy, 0, &start, (size_t)size) != size)
        return 1;
    unsigned char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, copy, 0);
    for (long long i = 0; i < size; i++) {
        (void)!read(0, &unused, 1);
        (void)!write(1, &map[data[i]], 1);
    }
    return read(0, &unused, 1) != 0;
}
