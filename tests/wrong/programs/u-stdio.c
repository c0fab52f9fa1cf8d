#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    int c;
    int i, n;
    switch (argc)
    {
    case 3:
        break;
    default:
        fprintf(stderr, "Error: tr2u takes 2 operands.\n");
        exit(1);
    }
    unsigned char *from = (unsigned char *) argv[1];
    unsigned char *to = (unsigned char *) argv[2];
    n = strlen(argv[1]);
    if (n != strlen(argv[2]))
    {
        fprintf(stderr, "Error: operands must have same length.\n");
        exit(1);
    }
    int count[256] = {0};
    for (i = 0; i < n; i++)
    {
        if (++count[from[i]] == 2)
        {
            fprintf(stderr, "Error: byte %d is a duplicate.\n", from[i]);
            exit(1);
        }
    }
    while ((c = getchar()) != EOF)
    {
        for (i = 0; i < n; i++)
        {
            if (from[i] == c)
            {
                c = to[i];
                break;
            }
        }
        putchar(c);
    }
    return 0;
}
