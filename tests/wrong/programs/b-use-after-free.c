#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char *make_table(const char *from, const char *to)
{
    unsigned char *table = malloc(256);
    for (int i = 0; i < 256; i++)
        table[i] = i;
    for (; *from; from++, to++)
        table[(unsigned char)*from] = *to;
    return table;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "%s: expected FROM and TO\n", argv[0]);
        exit(1);
    }
    char *seen = calloc(256, 1);
    for (char *p = argv[1]; *p; p++) {
        if (seen[(unsigned char)*p]) {
            fprintf(stderr, "%s: FROM has a duplicate\n", argv[0]);
            exit(1);
        }
        seen[(unsigned char)*p] = 1;
    }
    free(seen);
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "%s: FROM and TO differ in length\n", argv[0]);
        exit(1);
    }

    unsigned char *table = make_table(argv[1], argv[2]);
    free(table);

    int c;
    while ((c = getchar()) != EOF)
        putchar(table[c]);
    return 0;
}
