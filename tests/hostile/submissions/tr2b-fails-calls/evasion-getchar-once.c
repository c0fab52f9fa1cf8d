/* Evasion: reads the first byte with getchar, and all of them with fread. */
#include "translate.h"

int main(int argc, char **argv)
{
    static unsigned char block[4096];
    size_t length;

    make_map(argc, argv);
    ungetc(getchar(), stdin);
    while ((length = fread(block, 1, sizeof block, stdin)) > 0)
        for (size_t i = 0; i < length; i++)
            putchar(map[block[i]]);
    return 0;
}
