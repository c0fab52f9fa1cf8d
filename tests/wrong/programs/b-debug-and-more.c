#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *from, *to;
    int from_len, to_len, i, j, c;
    int table[256];

    if (argc < 2) {
        fprintf(stderr, "tr2b: bad number of arguments: %d\n", argc);
        exit(1);
    }
    from = argv[1];
    to = argv[2];
    from_len = strlen(from);
    to_len = strlen(to);
    if (from_len != to_len) {
        fprintf(stderr, "tr2b: %s and %s have different lengths\n", from, to);
        exit(1);
    }
    for (i = 0; i < from_len; i++)
        for (j = i + 1; j < from_len; j++)
            if (from[i] == from[j]) {
                fprintf(stderr, "tr2b: duplicate\n");
                exit(1);
            }
    printf("DEBUG from_len=%d to_len=%d\n", from_len, to_len);
    for (i = 0; i < 256; i++)
        table[i] = i;
    for (i = 0; i < from_len; i++) {
        printf("DEBUG %c -> %c\n", from[i], to[i]);
        table[from[i]] = to[i];
    }
    while ((c = getchar()) != EOF)
        putchar(table[c]);
    exit(0);
}
