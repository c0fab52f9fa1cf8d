#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 256

int main(int argc, char **argv)
{
    unsigned char lookup[BYTES];
    char used[BYTES];
    size_t i;
    int c;

    if (argc != 3) {
        fprintf(stderr, "tr2b: 2 operands please\n");
        exit(1);
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "tr2b: operands must have the same length\n");
        exit(1);
    }

    memset(used, 0, BYTES);
    for (i = 0; i < BYTES; i++)
        lookup[i] = i;

    for (i = 0; i < strlen(argv[1]); i++) {
        unsigned char f = (unsigned char)argv[1][i];
        if (used[f]) {
            fprintf(stderr, "tr2b: %c is duplicated\n", f);
            exit(1);
        }
        used[f] = 1;
        lookup[f] = (unsigned char)argv[2][i];
    }

    while ((c = getchar()) != EOF) {
        putchar(c);
    }
    return 0;
}
