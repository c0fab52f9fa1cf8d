#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    if (argc != 3)
    {
        fprintf(stderr, "Usage: tr2b from to\n");
        return 1;
    }

    char *from = argv[1];
    char *to = argv[2];

    if (strlen(from) != strlen(to))
    {
        fprintf(stderr, "Operands are not the same length\n");
        return 1;
    }

    for (int i = 0; i < strlen(from); i++)
    {
        for (int j = 0; j < strlen(from); j++)
        {
            if (i == j) continue;
            if (from[i] == from[j])
            {
                fprintf(stderr, "Duplicate bytes in from\n");
                return 1;
            }
        }
    }

    unsigned char out[256];
    for (int i = 0; i < 256; i++)
    {
        out[i] = (unsigned char)i;
    }
    for (int i = 0; i < strlen(from); i++)
    {
        out[(unsigned char)from[i]] = (unsigned char)to[i];
        i++;
    }

    int c;
    while ((c = getchar()) != EOF)
    {
        putchar(out[c]);
    }

    return 0;
}
