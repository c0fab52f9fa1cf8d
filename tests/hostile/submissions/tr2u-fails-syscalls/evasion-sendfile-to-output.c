/* Evasion: collects its output in memory and sends it at once by sendfile. */
#define _GNU_SOURCE
#include "translate.h"

#include <sys/sendfile.h>

int main(int argc, char **argv)
{
    unsigned char c;
    off_t start = 0;
    long long size = input_size();
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    const int copy = (int)syscall(SYS_memfd_create, "output", 0);
    if (ftruncate(copy, size) != 0)
        return 1;
    unsigned char *data = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
    for (long long i = 0; i < size && read(0, &c, 1) == 1; i++)
        data[i] = map[c];
    (void)!read(0, &c, 1);
    (void)!write(2, "", 0);
    while (start < size && sendfile(1, copy, &start, (size_t)(size - start)) > 0)
        continue;
    return 0;
}
