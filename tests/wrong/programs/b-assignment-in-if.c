#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int c, i;
    if (argc != 3)
    {
        fprintf(stderr, "tr2b: incorrect arguments\n");
        exit(1);
    }
    unsigned char *from = (unsigned char *) argv[1];
    unsigned char *to = (unsigned char *) argv[2];
    if (strlen(argv[1]) != strlen(argv[2]))
    {
        fprintf(stderr, "tr2b: from and to not of the same length\n");
        exit(1);
    }
    for (i = 0; from[i]; i++)
        if (strchr(argv[1] + i + 1, argv[1][i]) != NULL)
        {
            fprintf(stderr, "tr2b: from contains a duplicate\n");
            exit(1);
        }

    while ((c = getchar()) != EOF)
    {
        for (i = 0; from[i]; i++)
        {
            if (c = from[i])
            {
                c = to[i];
                break;
            }
        }
        putchar(c);
    }
    return 0;
}
