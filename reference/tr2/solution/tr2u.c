/*
 * tr2u FROM TO: copy standard input to standard output, turning every byte of FROM into the byte at the same place in TO.
 *
 * The unbuffered half of the model solution: for n bytes of input n + 1 reads and n writes, each of one byte, and no other call on
 * standard input or output. stdio serves standard error only.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTE_VALUES = UCHAR_MAX + 1 };

/* Ends the program if the operands are no good; so it is called before anything is read. */
static void make_map(unsigned char map[BYTE_VALUES], const char *from, const char *to)
{
    const size_t length = strlen(from);
    bool mapped[BYTE_VALUES] = {false};

    if (strlen(to) != length) {
        fprintf(stderr, "tr2u: the operands differ in length: %zu bytes in from, %zu in to\n", length, strlen(to));
        exit(EXIT_FAILURE);
    }
    for (int value = 0; value < BYTE_VALUES; value++)
        map[value] = (unsigned char)value;
    for (size_t i = 0; i < length; i++) {
        /* A plain char may be negative, and then it would index what lies before the tables. */
        const unsigned char byte = (unsigned char)from[i];

        if (mapped[byte]) {
            fprintf(stderr, "tr2u: from holds the byte 0x%02x twice\n", byte);
            exit(EXIT_FAILURE);
        }
        mapped[byte] = true;
        map[byte] = (unsigned char)to[i];
    }
}

/* False at the end of the input. */
static bool read_byte(unsigned char *byte)
{
    ssize_t count;

    /* A signal may interrupt a call before it did anything; then the byte is still to come. */
    do
        count = read(STDIN_FILENO, byte, 1);
    while (count == -1 && errno == EINTR);
    if (count == -1) {
        perror("tr2u: standard input");
        exit(EXIT_FAILURE);
    }
    return count == 1;
}

static void write_byte(unsigned char byte)
{
    ssize_t count;

    do
        count = write(STDOUT_FILENO, &byte, 1);
    while (count == -1 && errno == EINTR);
    if (count == 0)
        errno = EIO; /* A byte is lost all the same, though the call that wrote nothing set no errno. */
    if (count != 1) {
        perror("tr2u: standard output");
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char *argv[])
{
    unsigned char map[BYTE_VALUES];
    unsigned char byte;

    if (argc != 3) {
        fprintf(stderr, "tr2u: two operands are needed\nusage: tr2u from to\n");
        return EXIT_FAILURE;
    }
    make_map(map, argv[1], argv[2]);

    while (read_byte(&byte))
        write_byte(map[byte]);
    return EXIT_SUCCESS;
}
