#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char c;
    long i;
    if (argc != 3) { fprintf(stderr, "usage\n"); return 1; }
    char *from = argv[1], *to = argv[2];
    if (strlen(from) != strlen(to)) { fprintf(stderr, "length\n"); return 1; }
    for (i = 0; from[i]; i++)
        if (strchr(from + i + 1, from[i])) { fprintf(stderr, "dup\n"); return 1; }
    while (read(STDIN_FILENO, &c, 1) > 0) {
        for (int k = 0; from[k]; k++)
            if (c == from[k]) { c = to[k]; break; }
        printf("%c", c);
    }
    _exit(0);
}
