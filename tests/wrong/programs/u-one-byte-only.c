#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int checkArgs(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "?\n");
        return -1;
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "??\n");
        return -1;
    }
    for (int i = 0; argv[1][i]; i++)
        for (int j = i + 1; argv[1][j]; j++)
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "???\n");
                return -1;
            }
    return 0;
}

int main(int argc, char *argv[])
{
    char c;
    if (checkArgs(argc, argv) != 0)
        return 1;
    if (read(0, &c, 1) > 0) {
        for (int i = 0; argv[1][i]; i++) {
            if (argv[1][i] == c) {
                c = argv[2][i];
                break;
            }
        }
        write(1, &c, 1);
    }
    return 0;
}
