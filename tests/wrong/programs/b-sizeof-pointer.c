#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "Error: not 2 operands\n");
        return 1;
    }

    unsigned char *from = (unsigned char *)argv[1];
    unsigned char *to = (unsigned char *)argv[2];

    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "Error: lengths\n");
        return 1;
    }
    for (size_t a = 0; from[a]; a++)
        for (size_t b = 0; b < a; b++)
            if (from[a] == from[b]) {
                fprintf(stderr, "Error: duplicates\n");
                return 1;
            }

    unsigned char swap[256];
    for (int i = 0; i < 256; i++) swap[i] = i;
    for (int i = 0; i < sizeof(from); i++)
        swap[from[i]] = to[i];

    int c;
    while ((c = getchar()) != EOF)
        putchar(swap[c]);
    return 0;
}
