/* The same with another descriptor of the same file. */
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
    unsigned char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, dup(0), 0);
    for (long long i = 0; i < size; i++) {
        (void)!read(0, &c, 1);
        (void)!write(1, &map[data[i]], 1);
    }
    return 0;
}
