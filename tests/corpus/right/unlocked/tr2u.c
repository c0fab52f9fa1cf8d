#include <string.h>
#include <stdio.h>
#include <unistd.h>

static int position(const char *s, int c)
{
    for (int i = 0; s[i] != '\0'; i++)
        if ((s[i] & 0xFF) == c)
            return i;
    return -1;
}

static int complain(const char *text)
{
    return (int)write(2, text, strlen(text));
}

static int wrong(int argc, char **argv)
{
    if (argc != 3)
        return complain("I need two operands\n");
    if (strlen(argv[1]) != strlen(argv[2]))
        return complain("different lengths\n");
    for (int i = 0; argv[1][i] != '\0'; i++)
        if (position(argv[1], argv[1][i] & 0xFF) != i)
            return complain("a byte more than once\n");
    return 0;
}

int main(int argc, char **argv)
{
    unsigned char c;
    if (wrong(argc, argv))
        return 1;
    for (;;) {
        ssize_t got = read(0, &c, 1);
        if (got <= 0)
            return got < 0;
        int at = position(argv[1], c);
        if (at >= 0)
            c = (unsigned char)argv[2][at];
        if (write(1, &c, 1) < 1)
            return 1;
    }
}
