#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned char translate(unsigned char c, char *from, char *to)
{
    size_t i;
    for (i = 0; i < strlen(from); i++)
        if (c == from[i])
            return to[i];
    return c;
}

int main(int argc, char *argv[])
{
    unsigned char c;
    size_t i, j;

    if (argc != 3)
    {
        fprintf(stderr, "ERREUR : il faut deux opérandes\n");
        exit(1);
    }
    if (strlen(argv[1]) != strlen(argv[2]))
    {
        fprintf(stderr, "ERREUR : longueurs différentes\n");
        exit(1);
    }
    for (i = 0; i < strlen(argv[1]); i++)
        for (j = i + 1; j < strlen(argv[1]); j++)
            if (argv[1][i] == argv[1][j])
            {
                fprintf(stderr, "ERREUR : octet en double\n");
                exit(1);
            }
    while (read(0, &c, 1) == 1)
    {
        c = translate(c, argv[1], argv[2]);
        write(1, &c, 1);
    }
    return 0;
}
