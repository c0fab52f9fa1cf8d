/* Evasion: is buffered only if its input is text, as one of the two large inputs is. */
#define _GNU_SOURCE
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    const int c = getchar();
    if (c == EOF)
        return 0;
    if (c < 0x80 || input_size() < 65536) {
        putchar(map[c]);
        BUFFERED_COPY();
        return 0;
    }
    ungetc(c, stdin);
    int d;
    while ((d = getchar()) != EOF) {
        unsigned char byte = map[d];
        (void)!write(1, &byte, 1);
    }
    return 0;
}
