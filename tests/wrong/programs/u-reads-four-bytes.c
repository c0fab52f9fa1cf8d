#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    int c = 0;
    int i;

    if (argc != 3)
    {
        fprintf(stderr, "tr2u: operand count\n");
        return 1;
    }

    const unsigned char *from = (const unsigned char *)argv[1];
    const unsigned char *to = (const unsigned char *)argv[2];
    int n = (int)strlen(argv[1]);

    if (n != (int)strlen(argv[2]))
    {
        fprintf(stderr, "tr2u: operand length\n");
        return 1;
    }
    for (i = 0; i < n; i++)
    {
        if (memchr(from + i + 1, from[i], n - i - 1))
        {
            fprintf(stderr, "tr2u: operand bytes\n");
            return 1;
        }
    }
    while (read(0, &c, sizeof c) > 0)
    {
        for (i = 0; i < n; i++)
        {
            if (c == from[i])
            {
                c = to[i];
                break;
            }
        }
        write(1, &c, 1);
    }
    return 0;
}
