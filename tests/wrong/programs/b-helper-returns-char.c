#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *from, *to;

int next(void)
{
    char c = getchar();
    for (int i = 0; from[i]; i++)
        if (c == from[i])
            return to[i];
    return c;
}

void fail(char *m)
{
    fprintf(stderr, "%s\n", m);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    int c;
    if (argc != 3)
        fail("usage: tr2b from to");
    from = argv[1];
    to = argv[2];
    if (strlen(from) != strlen(to))
        fail("lengths");
    for (char *p = from; *p; p++)
        if (strchr(p + 1, *p))
            fail("duplicate");
    while ((c = next()) != EOF)
        putchar(c);
    return 0;
}
