#include <stdio.h>
#include <string.h>
#include <stdlib.h>

char table[256];

int main(int argc, char *argv[])
{
    char c;

    if (argc != 3) {
        fprintf(stderr, "error: argument count\n");
        exit(1);
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "error: argument length\n");
        exit(1);
    }
    for (int i = 0; i < 256; i++)
        table[i] = i;
    for (int i = 0; i < strlen(argv[1]); i++) {
        for (int j = i + 1; j < strlen(argv[1]); j++) {
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "error: duplicate\n");
                exit(1);
            }
        }
        table[argv[1][i]] = argv[2][i];
    }
    while ((c = getchar()) != EOF)
        putchar(table[c]);
    return 0;
}
