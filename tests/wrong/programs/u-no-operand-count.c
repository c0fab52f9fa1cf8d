#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char c;
    int i, j;
    int flen = strlen(argv[1]);
    int tlen = strlen(argv[2]);

    if (flen != tlen) {
        fprintf(stderr, "from must be as long as to\n");
        exit(1);
    }
    for (i = 0; i < flen; i++) {
        for (j = i + 1; j < flen; j++) {
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "from must not have duplicates\n");
                exit(1);
            }
        }
    }
    while (read(0, &c, 1)) {
        for (i = 0; i < flen; i++) {
            if (c == argv[1][i]) {
                c = argv[2][i];
                break;
            }
        }
        write(1, &c, 1);
    }
    return 0;
}
