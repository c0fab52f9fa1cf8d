#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int c, i;

    if (argc != 3) {
        fprintf(stderr, "Please enter 2 arguments\n");
        exit(1);
    }
    int n = strlen(argv[1]);
    if (n == 0 || n != strlen(argv[2])) {
        fprintf(stderr, "Please enter 2 arguments of the same length\n");
        exit(1);
    }
    for (i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "Please do not repeat bytes\n");
                exit(1);
            }
        }
    }

    c = getchar();
    while (c != EOF) {
        for (i = 0; i < n; i++) {
            if (c == (unsigned char)argv[1][i]) {
                putchar(argv[2][i]);
            } else {
                putchar(c);
            }
            c = getchar();
        }
    }
    return 0;
}
