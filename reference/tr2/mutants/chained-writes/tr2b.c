/* Mutant chained-writes: a match is written, and the search goes on with the new byte. */
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

static void put(unsigned char byte)
{
    if (putchar(byte) == EOF)
        fail("cannot write");
}

int main(int argc, char *argv[])
{
    int c;

    if (argc != 3)
        fail("usage: tr2b from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    while ((c = getchar()) != EOF) {
        int found = 0;

        for (size_t i = 0; from[i] != '\0'; i++)
            if (c == (unsigned char)from[i]) {
                c = (unsigned char)to[i];
                put(c);
                found = 1;
            }
        if (!found)
            put(c);
    }
    return EXIT_SUCCESS;
}
