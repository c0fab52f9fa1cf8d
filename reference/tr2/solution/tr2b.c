/*
 * tr2b FROM TO: copy standard input to standard output, turning every byte of FROM into the byte at the same place in TO.
 *
 * The buffered half of the model solution. All grading rests on its output and on its system calls, so stdio is left as it is by
 * default: no setvbuf, no _unlocked variants, nothing that a student would not be expected to write.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE_VALUES = UCHAR_MAX + 1 };

/* Ends the program if the operands are no good; so it is called before anything is read. */
static void make_map(unsigned char map[BYTE_VALUES], const char *from, const char *to)
{
    const size_t length = strlen(from);
    bool mapped[BYTE_VALUES] = {false};

    if (strlen(to) != length) {
        fprintf(stderr, "tr2b: the operands differ in length: %zu bytes in from, %zu in to\n", length, strlen(to));
        exit(EXIT_FAILURE);
    }
    for (int value = 0; value < BYTE_VALUES; value++)
        map[value] = (unsigned char)value;
    for (size_t i = 0; i < length; i++) {
        /* A plain char may be negative, and then it would index what lies before the tables. */
        const unsigned char byte = (unsigned char)from[i];

        if (mapped[byte]) {
            fprintf(stderr, "tr2b: from holds the byte 0x%02x twice\n", byte);
            exit(EXIT_FAILURE);
        }
        mapped[byte] = true;
        map[byte] = (unsigned char)to[i];
    }
}

int main(int argc, char *argv[])
{
    unsigned char map[BYTE_VALUES];
    int c; /* an int, because EOF must differ from all 256 bytes */

    if (argc != 3) {
        fprintf(stderr, "tr2b: two operands are needed\nusage: tr2b from to\n");
        return EXIT_FAILURE;
    }
    make_map(map, argv[1], argv[2]);

    while ((c = getchar()) != EOF) {
        if (putchar(map[c]) == EOF) {
            perror("tr2b: standard output");
            return EXIT_FAILURE;
        }
    }
    /* getchar returns EOF for an error, too. */
    if (ferror(stdin)) {
        perror("tr2b: standard input");
        return EXIT_FAILURE;
    }
    /* The last buffer is written only now, and some file systems report a full disk only when the file is closed. */
    if (fclose(stdout) == EOF) {
        perror("tr2b: standard output");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
