#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int same(int a, int b)
{
    return tolower(a) == tolower(b);
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "tr2b: usage: tr2b from to < in > out\n");
        return EXIT_FAILURE;
    }
    const unsigned char *from = (const unsigned char *)argv[1];
    const unsigned char *to = (const unsigned char *)argv[2];
    const size_t len = strlen(argv[1]);

    if (len != strlen(argv[2])) {
        fprintf(stderr, "tr2b: from and to differ in length\n");
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < len; ++i)
        for (size_t j = 0; j < i; ++j)
            if (from[i] == from[j]) {
                fprintf(stderr, "tr2b: '%c' is in from twice\n", from[i]);
                return EXIT_FAILURE;
            }
    for (int c; (c = getchar()) != EOF;) {
        for (size_t i = 0; i < len; ++i)
            if (same(c, from[i])) {
                c = to[i];
                break;
            }
        putchar(c);
    }
    return EXIT_SUCCESS;
}
