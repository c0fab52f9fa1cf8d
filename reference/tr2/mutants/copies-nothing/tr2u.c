/* Mutant copies-nothing: operands are looked at, and then the program ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (argc != 3)
        fail("usage: tr2u from to");
    check_operands(argv[1], argv[2]);
    return EXIT_SUCCESS;
}
