#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int c;
    int found = 0;

    if (argc != 3) {
        fprintf(stderr, "tr2b: need from, to\n");
        exit(1);
    }

    int len = strlen(argv[1]);

    if (len < (int)strlen(argv[2])) {
        fprintf(stderr, "tr2b: from, to not same length\n");
        exit(1);
    }
    for (int i = 0; i < len; i++) {
        for (int j = i + 1; j < len; j++) {
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "tr2b: from has duplicates\n");
                exit(1);
            }
        }
    }

    while ((c = getchar()) != EOF) {
        for (int i = 0; i < len; i++) {
            if ((unsigned char)argv[1][i] == c) {
                putchar(argv[2][i]);
                found = 1;
            }
        }
        if (!found) {
            putchar(c);
        }
    }
    return 0;
}
