/* Mutant one-comparison-per-byte: the write and the next read are inside the loop over from. */
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
            if (from[i] == from[j])
                fail("from holds a byte twice");
}

int main(int argc, char *argv[])
{
    int c;

    if (argc != 3)
        fail("usage: tr2b from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    c = getchar();
    while (c != EOF)
        for (size_t i = 0; from[i] != '\0' && c != EOF; i++) {
            if (putchar(c == (unsigned char)from[i] ? (unsigned char)to[i] : c) == EOF)
                fail("cannot write");
            c = getchar();
        }
    return EXIT_SUCCESS;
}
