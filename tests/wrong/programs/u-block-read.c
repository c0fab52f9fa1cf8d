#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 4096

int main(int argc, char **argv)
{
    unsigned char buf[SIZE], map[256];
    ssize_t n, i;

    if (argc != 3) {
        fprintf(stderr, "usage: tr2u from to\n");
        exit(1);
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "tr2u: length\n");
        exit(1);
    }
    for (i = 0; i < 256; i++)
        map[i] = i;
    for (i = 0; argv[1][i]; i++) {
        if (strchr(argv[1] + i + 1, argv[1][i])) {
            fprintf(stderr, "tr2u: duplicate\n");
            exit(1);
        }
        map[(unsigned char)argv[1][i]] = argv[2][i];
    }
    while ((n = read(0, buf, SIZE)) > 0) {
        for (i = 0; i < n; i++)
            buf[i] = map[buf[i]];
        write(1, buf, n);
    }
    return 0;
}
