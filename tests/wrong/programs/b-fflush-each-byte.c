#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void usage(char *prog)
{
    fprintf(stderr, "usage: %s from to\n", prog);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    int c, i;
    char *from, *to;

    if (argc != 3)
        usage(argv[0]);
    from = argv[1];
    to = argv[2];
    if (strlen(from) != strlen(to))
        usage(argv[0]);
    for (i = 0; from[i]; i++)
        if (strchr(&from[i + 1], from[i]))
            usage(argv[0]);

    while (1) {
        c = getchar();
        if (c == EOF)
            break;
        for (i = 0; from[i] && (unsigned char)from[i] != c; i++)
            ;
        if (from[i])
            c = to[i];
        putchar(c);
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
