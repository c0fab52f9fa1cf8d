#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int ch;
    unsigned char in[256] = {0}, out[256];

    if (argc != 3) {
        fprintf(stderr, "please use it like this: ./tr2b from to\n");
        exit(1);
    }
    if (strcmp(argv[1], argv[2]) != 0) {
        fprintf(stderr, "from and to don't have the same length\n");
        exit(1);
    }
    for (ch = 0; ch < 256; ch++)
        out[ch] = ch;
    for (int i = 0; argv[1][i]; i++) {
        if (in[(unsigned char)argv[1][i]]) {
            fprintf(stderr, "from has the same byte more than once\n");
            exit(1);
        }
        in[(unsigned char)argv[1][i]] = 1;
        out[(unsigned char)argv[1][i]] = argv[2][i];
    }
    while ((ch = getchar()) != EOF)
        putchar(out[ch]);
    return 0;
}
