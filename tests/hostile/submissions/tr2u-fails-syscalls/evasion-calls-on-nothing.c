/* Evasion: makes conforming calls on a pipe of its own in place of standard input, next to one large read. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    unsigned char c = 0;
    int ends[2];
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    unsigned char *data = malloc((size_t)size);
    const int in = dup(0);
    if (pipe(ends) != 0 || read(in, data, (size_t)size) != size)
        return 1;
    dup2(ends[0], 0);
    for (long long i = 0; i < size; i++) {
        (void)!write(ends[1], &c, 1);
        (void)!read(0, &c, 1);
        (void)!write(1, &map[data[i]], 1);
    }
    close(ends[1]);
    return read(0, &c, 1) != 0;
}
