/* Evasion: names getchar in its source, and copies with fread. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char byte;

    make_map(argc, argv);
    while (fread(&byte, 1, 1, stdin) == 1)
        putchar(map[byte]);
    return 0;
    return getchar();
}
