#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    int c;
    char *from = argv[1];
    char *to = argv[2]

    if (argc != 3)
    {
        fprintf(stderr, "usage: tr2b from to\n");
        return 1;
    }
    if (strlen(from) != strlen(to))
    {
        fprintf(stderr, "tr2b: lengths\n");
        return 1;
    }
    for (char *p = from; *p; p++)
        if (strchr(p + 1, *p))
        {
            fprintf(stderr, "tr2b: duplicates\n");
            return 1;
        }
    while ((c = getchar()) != EOF)
    {
        char *p = strchr(from, c);
        if (p && *p)
            c = to[p - from];
        putchar(c);
    }
    return 0;
}
