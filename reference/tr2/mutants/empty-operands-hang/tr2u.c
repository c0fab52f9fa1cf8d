/* Mutant empty-operands-hang: with empty operands the loop over them never ends. */
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

static void make_table(unsigned char table[256], const char *from_operand, const char *to_operand)
{
    unsigned char from[256] = {0}, to[256] = {0};
    size_t length = strlen(from_operand);

    memcpy(from, from_operand, length);
    memcpy(to, to_operand, length);
    for (int i = 0; i < 256; i++)
        table[i] = i;
    for (unsigned char i = 0; i <= length - 1; i++)
        table[from[i]] = to[i];
}

int main(int argc, char *argv[])
{
    unsigned char table[256];
    unsigned char c;

    if (argc != 3)
        fail("usage: tr2u from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);
    make_table(table, from, to);

    while (read(STDIN_FILENO, &c, 1) == 1) {
        c = table[c];
        if (write(STDOUT_FILENO, &c, 1) != 1)
            fail("cannot write");
    }
    return EXIT_SUCCESS;
}
