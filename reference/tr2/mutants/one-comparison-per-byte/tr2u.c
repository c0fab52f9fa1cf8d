/* Mutant one-comparison-per-byte: the write and the next read are inside the loop over from. */
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

int main(int argc, char *argv[])
{
    unsigned char c;

    if (argc != 3)
        fail("usage: tr2u from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    ssize_t got = read(STDIN_FILENO, &c, 1);
    while (got == 1)
        for (size_t i = 0; from[i] != '\0' && got == 1; i++) {
            if (c == (unsigned char)from[i])
                c = (unsigned char)to[i];
            if (write(STDOUT_FILENO, &c, 1) != 1)
                fail("cannot write");
            got = read(STDIN_FILENO, &c, 1);
        }
    return EXIT_SUCCESS;
}
