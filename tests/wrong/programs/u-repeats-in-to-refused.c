#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char c;
    size_t i, j, n;
    if (argc != 3) { fprintf(stderr, "tr2u: operands missing or too many\n"); exit(1); }
    n = strlen(argv[1]);
    if (n != strlen(argv[2])) { fprintf(stderr, "tr2u: operands have different sizes\n"); exit(1); }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            if (argv[1][i] == argv[1][j] || argv[2][i] == argv[2][j]) {
                fprintf(stderr, "tr2u: operands have duplicates\n");
                exit(1);
            }
    for (;;) {
        if (read(0, &c, 1) != 1) break;
        for (i = 0; i < n; i++)
            if (c == argv[1][i]) { c = argv[2][i]; break; }
        write(1, &c, 1);
    }
    exit(0);
}
