/* Evasion: names putchar, and writes with fwrite. */
#include "translate.h"

static volatile int never;

int main(int argc, char **argv)
{
    int byte;

    make_map(argc, argv);
    if (never)
        return putchar('x');
    while ((byte = getchar()) != EOF)
        fwrite(&map[byte], 1, 1, stdout);
    return 0;
}
