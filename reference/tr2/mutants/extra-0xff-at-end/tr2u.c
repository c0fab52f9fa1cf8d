/* Mutant extra-0xff-at-end: the end of the input is copied as if it were a byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *message)
{
    fprintf(stderr, "tr2u: %s\n", message);
    exit(EXIT_FAILURE);
}

/* The next byte of the input, or EOF. */
static int get_byte(void)
{
    unsigned char byte;

    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : EOF;
}

static void put_byte(unsigned char byte)
{
    if (write(STDOUT_FILENO, &byte, 1) != 1)
        fail("cannot write");
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

static int translate(int byte, const char *from, const char *to)
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
        fail("usage: tr2u from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    do {
        c = get_byte();
        put_byte(translate(c, from, to));
    } while (c != EOF);
    return EXIT_SUCCESS;
}
