#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int map[256];

    if (argc != 3) {
        fprintf(stderr, "tr2b needs two operands\n");
        return 1;
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "tr2b: lengths differ\n");
        return 1;
    }
    for (int i = 0; i < 256; i++)
        map[i] = -1;
    for (size_t i = 0; i < strlen(argv[1]); i++) {
        unsigned char key = argv[1][i];
        if (map[key] != -1) {
            fprintf(stderr, "tr2b: duplicate byte\n");
            return 1;
        }
        map[key] = (unsigned char)argv[2][i];
    }

    while (!feof(stdin)) {
        int c = getchar();
        if (c >= 0 && map[c] != -1)
            c = map[c];
        putchar(c);
    }
    return 0;
}
