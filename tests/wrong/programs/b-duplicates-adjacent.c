#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[]) {
    char *from, *to;
    unsigned char t[256];
    int i, c;

    if (argc != 3) {
        fprintf(stderr, "Usage: tr2b FROM TO\n");
        exit(EXIT_FAILURE);
    }
    from = argv[1];
    to = argv[2];

    if (strlen(from) != strlen(to)) {
        fprintf(stderr, "FROM and TO differ in length\n");
        exit(EXIT_FAILURE);
    }

    // duplicates
    for (i = 0; from[i] != 0; i++) {
        if (from[i] == from[i + 1]) {
            fprintf(stderr, "Duplicate in FROM\n");
            exit(EXIT_SUCCESS);
        }
    }

    for (i = 0; i < 256; i++)
        t[i] = (unsigned char)i;
    while (*from)
        t[(unsigned char)*from++] = (unsigned char)*to++;

    while ((c = getchar()) != EOF)
        putchar(t[c]);
    return EXIT_SUCCESS;
}
