#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int c, i, j;
    if (argc != 3) {
        fprintf(stderr, "Expected: tr2b from to\n");
        return 2;
    }
    for (i = 0; argv[1][i] != '\0'; i++) {
        for (j = i + 1; argv[1][j] != '\0'; j++) {
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "Duplicate byte in from\n");
                return 2;
            }
        }
    }
    for (j = 0; argv[2][j] != '\0'; j++)
        ;
    if (i != j) {
        fprintf(stderr, "from has %d bytes, to has %d\n", i, j);
        return 2;
    }
    while ((c = getchar()) > 0) {
        for (i = 0; argv[1][i] != '\0'; i++)
            if ((unsigned char)argv[1][i] == c)
                break;
        if (argv[1][i] != '\0')
            putchar(argv[2][i]);
        else
            putchar(c);
    }
    return 0;
}
