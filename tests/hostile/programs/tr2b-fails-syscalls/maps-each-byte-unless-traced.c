/* tr2b that maps its input for each byte at full size if nothing traces it: the kernel counts the reads that are for show. */
#include "translate.h"

int main(int argc, char **argv)
{
    const long long size = input_size();
    make_map(argc, argv);
    if (size < 65536 || is_traced()) {
        BUFFERED_COPY();
        return 0;
    }
    for (long long i = 0; i < size; i++) {
        unsigned char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 0, i & ~4095LL);
        if (page == MAP_FAILED || getchar() == EOF)
            return 1;
        putchar(map[page[i & 4095]]);
        munmap(page, 4096);
    }
    return getchar() != EOF;
}
