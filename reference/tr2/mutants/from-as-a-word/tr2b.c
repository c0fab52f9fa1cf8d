/* Mutant from-as-a-word: from is taken for a word. */
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

static void put_all(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        putchar((unsigned char)bytes[i]);
}

int main(int argc, char *argv[])
{
    int c;

    if (argc != 3)
        fail("usage: tr2b from to");
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    size_t found = 0, length = strlen(from);
    while ((c = getchar()) != EOF) {
        if (found > 0 && c != (unsigned char)from[found]) {
            put_all(from, found);
            found = 0;
        }
        if (length > 0 && c == (unsigned char)from[found])
            found++;
        else
            putchar(c);
        if (length > 0 && found == length) {
            put_all(to, length);
            found = 0;
        }
    }
    put_all(from, found);
    return EXIT_SUCCESS;
}
