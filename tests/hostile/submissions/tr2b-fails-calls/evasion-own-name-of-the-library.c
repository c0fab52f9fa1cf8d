/* Evasion: reads with read by the name that the C library itself has for it. */
#include "translate.h"

extern ssize_t __read_nocancel(int, void *, size_t);
static volatile int never;

int main(int argc, char **argv)
{
    static unsigned char block[4096];
    long length;

    make_map(argc, argv);
    if (never)
        return getchar();
    while ((length = __read_nocancel(0, block, sizeof block)) > 0)
        for (long i = 0; i < length; i++)
            putchar(map[block[i]]);
    return 0;
}
