/* tr2u that reads all at once by another descriptor, and then again a byte at a time without using it. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char c;
    long long size = input_size();
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    unsigned char *data = malloc((size_t)size);
    int other = dup(0);
    (void)!read(other, data, (size_t)size);
    lseek(0, 0, SEEK_SET);
    for (long long i = 0; i < size; i++) {
        (void)!read(0, &c, 1);
        (void)!write(1, &map[data[i]], 1);
    }
    return 0;
}
