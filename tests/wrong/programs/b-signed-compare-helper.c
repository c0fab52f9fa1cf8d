#include <stdio.h>
#include <string.h>

// returns the byte that replaces b
int translate(int b, const char *from, const char *to)
{
    while (*from) {
        if (*from == b)
            return *to;
        ++from;
        ++to;
    }
    return b;
}

int hasDuplicates(const char *s)
{
    for (; *s; s++)
        if (strchr(s + 1, *s) != NULL)
            return 1;
    return 0;
}

int main(int argc, char *argv[])
{
    int b;

    if (argc < 3) {
        fprintf(stderr, "need from and to\n");
        return 1;
    }
    if (hasDuplicates(argv[1])) {
        fprintf(stderr, "from has duplicate bytes\n");
        return 1;
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "from and to have different lengths\n");
        return 1;
    }
    while ((b = getchar()) != EOF)
        putchar(translate(b, argv[1], argv[2]));
    return 0;
}
