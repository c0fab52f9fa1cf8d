#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES 5000000

int main(int argc, char *argv[])
{
    int i, j;
    char c = 0;
    if (argc != 3) {
        fprintf(stderr, "two operands!\n");
        exit(1);
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "equal lengths!\n");
        exit(1);
    }
    for (i = 0; argv[1][i]; i++)
        for (j = i + 1; argv[1][j]; j++)
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "duplicates!\n");
                exit(1);
            }
    for (i = 0; i < BYTES; i++) {
        read(0, &c, 1);
        char t = c;
        for (j = 0; argv[1][j]; j++)
            if (c == argv[1][j])
                t = argv[2][j];
        write(1, &t, 1);
    }
    return 0;
}
