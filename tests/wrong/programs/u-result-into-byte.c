#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char c;

    if (argc != 3)
    {
        fprintf(stderr, "Error: two arguments needed\n");
        exit(1);
    }
    char *from = argv[1];
    char *to = argv[2];
    size_t len = strlen(from);
    if (len != strlen(to))
    {
        fprintf(stderr, "Error: same length needed\n");
        exit(1);
    }
    for (size_t i = 0; i < len; i++)
    {
        for (size_t j = i + 1; j < len; j++)
        {
            if (from[i] == from[j])
            {
                fprintf(stderr, "Error: duplicate found\n");
                exit(1);
            }
        }
    }

    while ((c = read(0, &c, 1)) > 0)
    {
        for (size_t i = 0; i < len; i++)
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
