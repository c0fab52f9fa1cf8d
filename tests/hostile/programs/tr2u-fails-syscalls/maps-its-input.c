/* tr2u that copies what it mapped, and makes the reads that are expected without using them. */
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
    unsigned char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, 0, 0);
    for (long long i = 0; i < size; i++) {
        (void)!read(0, &c, 1);
        (void)!write(1, &map[data[i]], 1);
    }
    return 0;
}
