#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    int c;
    unsigned char arr[256];

    setbuf(stdout, NULL);

    if (argc < 3)
    {
        fprintf(stderr, "Please supply from and to.\n");
        return 1;
    }
    int flen = strlen(argv[1]);
    int tlen = strlen(argv[2]);
    if (flen != tlen)
    {
        fprintf(stderr, "from has %d bytes but to has %d bytes.\n", flen, tlen);
        return 1;
    }
    for (int i = 0; i < 256; ++i)
        arr[i] = i;
    for (int i = 0; i < flen; ++i)
    {
        for (int j = 0; j < i; ++j)
        {
            if (argv[1][j] == argv[1][i])
            {
                fprintf(stderr, "from repeats a byte.\n");
                return 1;
            }
        }
        arr[(unsigned char) argv[1][i]] = argv[2][i];
    }
    while ((c = getchar()) != EOF)
    {
        putchar(arr[c]);
    }
    return 0;
}
