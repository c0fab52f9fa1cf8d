/* Mutant original-follows: a match is written in the loop, and the byte itself after it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *message)
{
    fprintf(stderr, "tr2u: %s\n", message);
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
    if (write(STDOUT_FILENO, &byte, 1) != 1)
        fail("cannot write");
}

int main(int argc, char *argv[])
{
    unsigned char c;

    if (argc != 3)
        fail("usage: tr2u from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    while (read(STDIN_FILENO, &c, 1) == 1) {
        for (size_t i = 0; from[i] != '\0'; i++)
            if (c == (unsigned char)from[i])
                put((unsigned char)to[i]);
        put(c);
    }
    return EXIT_SUCCESS;
}
