#include <stdio.h>
#include <string.h>

static int position(const char *s, int c)
{
    for (int i = 0; s[i] != '\0'; i++)
        if ((s[i] & 0xFF) == c)
            return i;
    return -1;
}

static int wrong(int argc, char **argv)
{
    if (argc != 3)
        return fprintf(stderr, "I need two operands\n");
    if (strlen(argv[1]) != strlen(argv[2]))
        return fprintf(stderr, "different lengths\n");
    for (int i = 0; argv[1][i] != '\0'; i++)
        if (position(argv[1], argv[1][i] & 0xFF) != i)
            return fprintf(stderr, "'%c' more than once\n", argv[1][i]);
    return 0;
}

int main(int argc, char **argv)
{
    if (wrong(argc, argv))
        return 1;
    int c;
    while ((c = getchar_unlocked()) != EOF) {
        int at = position(argv[1], c);
        putchar_unlocked(at < 0 ? c : argv[2][at]);
    }
    return 0;
}
