#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned char map[256], byte;
    int seen[256] = {0};
    size_t i;
    ssize_t n;

    if (argc != 3) {
        fprintf(stderr, "usage: %s from to\n", argv[0]);
        return 2;
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fputs("operands differ in length\n", stderr);
        return 2;
    }
    for (i = 0; i < 256; i++)
        map[i] = (unsigned char)i;
    for (i = 0; argv[1][i]; i++) {
        unsigned char from = (unsigned char)argv[1][i];
        if (seen[from]++)
            return fprintf(stderr, "duplicate byte at %lu\n", (unsigned long)i), 2;
        map[from] = (unsigned char)argv[2][i];
    }
    while ((n = read(0, &byte, 1)) > 0)
        if (write(1, &map[byte], 1) != 1)
            return 1;
    return n < 0;
}
