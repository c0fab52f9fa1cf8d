#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int c, k, n;

    if (argc != 3)
    {
        fprintf(stderr, "I need exactly two operands!\n");
        exit(1);
    }

    n = strlen(argv[1]);
    if (n != (int)strlen(argv[2]))
    {
        fprintf(stderr, "The operands must have equal lengths!\n");
        exit(1);
    }

    while ((c = getchar()) != EOF)
    {
        for (k = 0; k < n; k++)
        {
            if ((unsigned char)argv[1][k] == c)
            {
                c = (unsigned char)argv[2][k];
                break;
            }
        }
        putchar(c);
    }
    return 0;
}
