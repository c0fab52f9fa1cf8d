#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXLINE 1000

int main(int argc, char *argv[])
{
    char line[MAXLINE];
    int i, j, len;

    if (argc != 3) {
        fprintf(stderr, "tr2b: usage: tr2b from to\n");
        exit(1);
    }
    len = strlen(argv[1]);
    if (len != strlen(argv[2])) {
        fprintf(stderr, "tr2b: different lengths\n");
        exit(1);
    }
    for (i = 0; i < len; i++)
        for (j = i + 1; j < len; j++)
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "tr2b: duplicate in from\n");
                exit(1);
            }

    while (fgets(line, MAXLINE, stdin) != NULL) {
        for (i = 0; i < strlen(line); i++) {
            for (j = 0; j < len; j++) {
                if (line[i] == argv[1][j]) {
                    line[i] = argv[2][j];
                    break;
                }
            }
        }
        fputs(line, stdout);
    }
    return 0;
}
