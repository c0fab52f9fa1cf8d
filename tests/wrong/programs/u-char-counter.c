#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    signed char i, j;
    char c;

    if (argc != 3) {
        fprintf(stderr, "tr2u: missing or extra operand\n");
        exit(1);
    }
    int n = strlen(argv[1]);
    if (n != (int)strlen(argv[2])) {
        fprintf(stderr, "tr2u: operand lengths differ\n");
        exit(1);
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "tr2u: duplicate byte in from\n");
                exit(1);
            }
    while (read(0, &c, 1) > 0) {
        for (i = 0; i < n; i++) {
            if (c == argv[1][i]) {
                c = argv[2][i];
                break;
            }
        }
        write(1, &c, 1);
    }
    return 0;
}
