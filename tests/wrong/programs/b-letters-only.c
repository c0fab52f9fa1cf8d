#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int c, i, len;

    if (argc != 3) {
        fprintf(stderr, "tr2b takes two operands\n");
        exit(1);
    }
    len = strlen(argv[1]);
    if (strlen(argv[2]) != len) {
        fprintf(stderr, "operands should have equal length\n");
        exit(1);
    }
    for (i = 0; i < len; i++) {
        if (strchr(argv[1], argv[1][i]) != &argv[1][i]) {
            printf("operand 1 should have no duplicates\n");
            exit(1);
        }
    }

    while ((c = getchar()) != EOF) {
        if (isalpha(c)) {
            for (i = 0; i < len; i++) {
                if ((unsigned char)argv[1][i] == c) {
                    c = (unsigned char)argv[2][i];
                    break;
                }
            }
        }
        putchar(c);
    }
    return 0;
}
