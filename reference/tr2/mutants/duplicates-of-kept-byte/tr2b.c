/* Mutant duplicates-of-kept-byte: a byte may appear twice in FROM if the first pair does not change it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *message)
{
    fprintf(stderr, "tr2b: %s\n", message);
    exit(EXIT_FAILURE);
}

static void check_operands(const char *from, const char *to)
{
    size_t length = strlen(from);

    if (strlen(to) != length)
        fail("from and to differ in length");
    for (size_t i = 0; i < length; i++)
        for (size_t j = i + 1; j < length; j++)
            if (from[i] == from[j] && to[i] != from[i])
                fail("from holds a byte twice");
}

static unsigned char translate(unsigned char byte, const char *from, const char *to)
{
    for (size_t i = 0; from[i] != '\0'; i++)
        if (byte == (unsigned char)from[i])
            return (unsigned char)to[i];
    return byte;
}

int main(int argc, char *argv[])
{
    int c;

    if (argc != 3)
        fail("usage: tr2b from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    while ((c = getchar()) != EOF)
        if (putchar(translate(c, from, to)) == EOF)
            fail("cannot write");
    return EXIT_SUCCESS;
}
