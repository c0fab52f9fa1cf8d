#include <stdio.h>
#include <string.h>

static char table[128];

static int lookup(const char *entry, int c)
{
    return entry[c]; /* HERE */
}

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int i = 0; argv[1][i] != '\0'; i++)
        if (argv[1][i] > 0)
            table[(int)argv[1][i]] = argv[2][i];
    for (int c = getchar(); c != EOF; c = getchar())
        putchar(lookup(table, c) ? table[c] : c);
    return 0;
}
