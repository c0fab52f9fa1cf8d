/* Evasion: names getchar in a call that the compiler keeps and that is never reached, and copies with fread. */
#include "translate.h"

static volatile int never;

int main(int argc, char **argv)
{
    unsigned char byte;

    make_map(argc, argv);
    if (never)
        return getchar();
    while (fread(&byte, 1, 1, stdin) == 1)
        putchar(map[byte]);
    return 0;
}
