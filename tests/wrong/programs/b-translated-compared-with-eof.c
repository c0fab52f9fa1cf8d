#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *from, *to;

static int next(void)
{
    int c = getchar();
    for (int i = 0; from[i]; i++)
        if (c == (unsigned char)from[i])
            return to[i];
    return c;
}

static void check(void)
{
    if (strlen(from) != strlen(to)) {
        fprintf(stderr, "operands must be equally long\n");
        exit(1);
    }
    for (int i = 0; from[i]; i++)
        for (int j = 0; j < i; j++)
            if (from[i] == from[j]) {
                fprintf(stderr, "operand 1 has a duplicate\n");
                exit(1);
            }
}

int main(int argc, char **argv)
{
    int c;

    if (argc < 3) {
        fprintf(stderr, "two operands required\n");
        exit(1);
    }
    from = argv[1];
    to = argv[2];
    check();
    while ((c = next()) != EOF)
        putchar(c);
    return 0;
}
