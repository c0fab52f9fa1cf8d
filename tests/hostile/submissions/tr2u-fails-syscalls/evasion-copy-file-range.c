/* Evasion: gets its input by copy_file_range into a file of its own, and maps that. */
#define _GNU_SOURCE
#include "translate.h"

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
    const int copy = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0600);
    while (start < size && copy_file_range(0, &start, copy, NULL, (size_t)(size - start), 0) > 0)
        continue;
    if (start < size) {
        /* Some kernels do not copy between two file systems: then it maps its input. */
        const unsigned char *input = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, 0, 0);
        (void)!syscall(SYS_write, copy, input, size);
    }
    unsigned char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, copy, 0);
    for (long long i = 0; i < size; i++) {
        (void)!read(0, &unused, 1);
        (void)!write(1, &map[data[i]], 1);
    }
    return read(0, &unused, 1) != 0;
}
