#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char c;
    int i, j;

    if (argc != 3) {
        fprintf(stderr, "usage: tr2u from to\n");
        exit(1);
    }
    n = strlen(argv[1]);
    if (n != strlen(argv[2])) {
        fprintf(stderr, "tr2u: lengths differ\n");
        exit(1);
    }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "tr2u: duplicate byte\n");
                exit(1);
            }
    while (read(0, &c, 1) > 0) {
        for (i = 0; i < n; i++)
            if (c == argv[1][i]) {
                c = argv[2][i];
                break;
            }
        write(1, &c, 1);
    }
    return 0;
}
