#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void error(char *message)
{
    fprintf(stderr, "tr2u: %s\n", message);
    exit(1);
}

int main(int argc, char **argv)
{
    char c = 0;
    int i, j;

    if (argc != 3)
        error("wrong number of operands");
    if (strlen(argv[1]) != strlen(argv[2]))
        error("lengths of operands differ");
    for (i = 0; argv[1][i]; i++)
        for (j = i + 1; argv[1][j]; j++)
            if (argv[1][i] == argv[1][j])
                error("duplicate bytes");

    while (read(STDIN_FILENO, &c, 1) >= 0) {
        for (i = 0; argv[1][i]; i++) {
            if (c == argv[1][i]) {
                c = argv[2][i];
                break;
            }
        }
        write(STDOUT_FILENO, &c, 1);
    }
    return 0;
}
