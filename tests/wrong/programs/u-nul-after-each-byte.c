#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char str[2];
    str[1] = '\0';

    if (argc != 3) {
        fprintf(stderr, "Error! Two operands needed.\n");
        exit(1);
    }

    int fromLen = strlen(argv[1]), toLen = strlen(argv[2]);
    if (fromLen != toLen) {
        fprintf(stderr, "Error! Operands of lengths %d and %d.\n", fromLen, toLen);
        exit(1);
    }

    for (int i = 0; i < fromLen; i++) {
        for (int j = i + 1; j < fromLen; j++) {
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "Error! Duplicate.\n");
                exit(1);
            }
        }
    }

    while (read(0, str, 1) > 0) {
        int i = 0;
        for (; i < fromLen; i++)
            if (argv[1][i] == str[0])
                break;
        if (i < fromLen)
            str[0] = argv[2][i];
        write(1, str, 2);
    }
    return 0;
}
