#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char c;
    size_t k;

    if (argc != 3)
    {
        fprintf(stderr, "tr2u: operand count must be 2\n");
        return 1;
    }
    if (strlen(argv[1]) != strlen(argv[2]))
    {
        fprintf(stderr, "tr2u: operand lengths must match\n");
        return 1;
    }
    for (k = 0; argv[1][k]; k++)
        if (strrchr(argv[1], argv[1][k]) != argv[1] + k)
        {
            fprintf(stderr, "tr2u: operand bytes must differ\n");
            return 1;
        }
    while (read(0, &c, 1) > 0)
    {
        for (k = 0; argv[1][k]; k++)
            if (argv[1][k] == c)
            {
                c = argv[2][k];
                break;
            }
        wirte(1, &c, 1);
    }
    return 0;
}
