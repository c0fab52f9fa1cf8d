#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned char map[256];
    int seen[256] = {0};
    size_t i;
    int c;

    if (argc != 3) {
        fprintf(stderr, "usage: %s from to\n", argv[0]);
        return 2;
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fputs("operands differ in length\n", stderr);
        return 2;
    }
    for (i = 0; i < 256; i++)
        map[i] = (unsigned char)i;
    for (i = 0; argv[1][i]; i++) {
        unsigned char from = (unsigned char)argv[1][i];
        if (seen[from]++) {
            fprintf(stderr, "duplicate byte at %lu\n", (unsigned long)i);
            return 2;
        }
        map[from] = (unsigned char)argv[2][i];
    }
    while ((c = getchar()) != EOF)
        if (putchar(map[c]) == EOF)
            return 1;
    return ferror(stdin) || fclose(stdout) != 0;
}
