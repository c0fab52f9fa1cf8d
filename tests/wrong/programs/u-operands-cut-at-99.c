#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

main(argc, argv)
int argc;
char **argv;
{
    int i, j, n;
    char c, from[100], to[100];
    if (argc != 3) {
        fprintf(stderr, "usage: tr2u from to\n");
        exit(1);
    }
    strncpy(from, argv[1], 99);
    from[99] = 0;
    strncpy(to, argv[2], 99);
    to[99] = 0;
    n = strlen(from);
    if (n != strlen(to)) {
        fprintf(stderr, "lengths differ\n");
        exit(1);
    }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            if (from[i] == from[j]) {
                fprintf(stderr, "duplicate\n");
                exit(1);
            }
    while (read(0, &c, 1) > 0) {
        for (i = 0; i < n; i++)
            if (c == from[i]) {
                c = to[i];
                break;
            }
        write(1, &c, 1);
    }
    exit(0);
}
