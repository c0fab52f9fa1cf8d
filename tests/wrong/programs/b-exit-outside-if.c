#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    int c;
    unsigned char table[256];

    if (argc != 3)
    {
        fprintf(stderr, "Invalid number of operands!\n");
        exit(1);
    }

    for (int i = 0; i < 256; i++)
        table[i] = i;

    int used[256] = {0};
    for (int i = 0; argv[1][i] != '\0'; i++)
    {
        unsigned char u = argv[1][i];
        if (used[u])
        {
            fprintf(stderr, "Duplicate operand bytes!\n");
            exit(1);
        }
        used[u] = 1;
    }

    if (strlen(argv[1]) != strlen(argv[2]))
        fprintf(stderr, "Operands are not of the same length!\n");
        exit(1);

    for (int i = 0; argv[1][i] != '\0'; i++)
        table[(unsigned char)argv[1][i]] = argv[2][i];

    while ((c = getchar()) != EOF)
        putchar(table[c]);

    return 0;
}
