#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    int c;
    unsigned char t[256];

    if (argc != 3)
    {
        fprintf(stderr, "Needs 2 strings\n");
        exit(EXIT_FAILURE);
    }
    if (strlen(argv[1]) != strlen(argv[2]))
    {
        fprintf(stderr, "Needs strings of same length\n");
        exit(EXIT_FAILURE);
    }
    for (c = 0; c < 256; c++)
        t[c] = c;
    for (int i = 0; argv[1][i]; i++)
    {
        for (int j = 0; j < i; j++)
            if (argv[1][i] == argv[1][j])
            {
                fprintf(stderr, "Needs no duplicates\n");
                exit(EXIT_FAILURE);
            }
        t[argv[1][i] & 255] = argv[2][i];
    }

    while (getchar() != EOF)
    {
        c = getchar();
        putchar(c == EOF ? c : t[c]);
    }
    return 0;
}
