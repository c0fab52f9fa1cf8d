#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    int c;

    if (argc != 3)
    {
        fprintf(stderr, "tr2b: wrong number of operands\n");
        exit(1);
    }

    char *from = argv[1];
    char *to = argv[2];

    if (strlen(from) != strlen(to))
    {
        fprintf(stderr, "tr2b: different length operands\n");
        exit(1);
    }

    size_t i, j;
    for (i = 0; i < strlen(from); i++)
    {
        for (j = i + 1; j < strlen(from); j++)
        {
            if (from[j] == from[i])
            {
                fprintf(stderr, "tr2b: duplicate bytes in first operand\n");
                exit(1);
            }
        }
    }

    while (c = getchar() != EOF)
    {
        for (i = 0; i < strlen(from); i++)
        {
            if ((unsigned char)from[i] == c)
            {
                c = to[i];
                break;
            }
        }
        putchar(c);
    }
    exit(0);
}
