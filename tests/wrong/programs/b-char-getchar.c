/*
 * tr2b.c
 *
 * transliterates bytes of stdin with getchar and putchar
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "usage: tr2b from to\n");
        exit(1);
    }

    char *from = argv[1];
    char *to = argv[2];
    size_t n = strlen(from);

    if (n != strlen(to)) {
        fprintf(stderr, "tr2b: from and to must have the same length\n");
        exit(1);
    }

    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (from[i] == from[j]) {
                fprintf(stderr, "tr2b: duplicate byte in from\n");
                exit(1);
            }
        }
    }

    char c;
    while ((c = getchar()) != EOF) {
        for (size_t i = 0; i < n; i++) {
            if (c == from[i]) {
                c = to[i];
                break;
            }
        }
        putchar(c);
    }
    return 0;
}
