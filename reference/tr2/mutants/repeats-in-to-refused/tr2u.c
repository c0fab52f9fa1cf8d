/* Mutant repeats-in-to-refused: a byte that stands twice in to is refused as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *message)
{
    fprintf(stderr, "tr2u: %s\n", message);
    exit(EXIT_FAILURE);
}

static void check_unique(const char *operand)
{
    size_t length = strlen(operand);

    for (size_t i = 0; i < length; i++)
        for (size_t j = i + 1; j < length; j++)
            if (operand[i] == operand[j])
                fail("an operand holds a byte twice");
}

static void check_operands(const char *from, const char *to)
{
    if (strlen(from) != strlen(to))
        fail("from and to differ in length");
    check_unique(from);
    check_unique(to);
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
    unsigned char c;

    if (argc != 3)
        fail("usage: tr2u from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    while (read(STDIN_FILENO, &c, 1) == 1) {
        c = translate(c, from, to);
        if (write(STDOUT_FILENO, &c, 1) != 1)
            fail("cannot write");
    }
    return EXIT_SUCCESS;
}
