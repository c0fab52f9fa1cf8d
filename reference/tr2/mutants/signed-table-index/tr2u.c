/* Mutant signed-table-index: a char that may be negative indexes the table of 256 bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A copy of from, and after it what becomes of each byte. */
static char memory[2 * 256];
static char *const table = memory + 256;

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

static void make_table(const char *from, const char *to)
{
    strcpy(memory, from);
    for (int i = 0; i < 256; i++)
        table[i] = i;
    for (size_t i = 0; from[i] != '\0'; i++)
        table[from[i]] = to[i];
}

static char translate(char byte)
{
    return table[byte];
}

int main(int argc, char *argv[])
{
    char c;

    if (argc != 3)
        fail("usage: tr2u from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);
    make_table(from, to);

    while (read(STDIN_FILENO, &c, 1) == 1) {
        c = translate(c);
        if (write(STDOUT_FILENO, &c, 1) != 1)
            fail("cannot write");
    }
    return EXIT_SUCCESS;
}
