/* Mutant no-message: an error ends the program without a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(void)
{
    exit(EXIT_FAILURE);
}

static void check_operands(const char *from, const char *to)
{
    size_t length = strlen(from);

    if (strlen(to) != length)
        fail();
    for (size_t i = 0; i < length; i++)
        for (size_t j = i + 1; j < length; j++)
            if (from[i] == from[j])
                fail();
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
        fail();
    const char *from = argv[1], *to = argv[2];
    check_operands(from, to);

    while (read(STDIN_FILENO, &c, 1) == 1) {
        c = translate(c, from, to);
        if (write(STDOUT_FILENO, &c, 1) != 1)
            fail();
    }
    return EXIT_SUCCESS;
}
