/*
 * tr2b - transliterate bytes, buffered
 *
 *     tr2b from to < input > output
 *
 * Copies standard input to standard output. A byte that appears in `from` becomes the byte at the same position in `to`.
 * Every other byte is copied unchanged. README.md has the whole statement.
 *
 *   - Data moves through getchar and putchar only, one byte at a time. Leave the buffering to stdio.
 *   - `from` and `to` are byte strings of the same length. `to` may contain a byte more than once, `from` may not.
 *   - Different lengths, or a byte twice in `from`: write a message to standard error, copy nothing, and exit with a status other
 *     than 0.
 *   - Bytes, not characters: all values from 0 to 255 may appear in the input, and all except 0 in an operand.
 *   - Unlike tr, there are no options, ranges or escapes: `[`, `-` and `\` are ordinary bytes.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    /* TODO: is there a `from` and a `to`, and are they good operands? */
    /* The next two lines only keep the compiler quiet: remove them once you use the operands. */
    (void)argc;
    (void)argv;

    /* TODO: copy, byte by byte, until the input ends. */

    /* Until there is a program, this one fails. TODO: EXIT_SUCCESS if all went well. */
    return EXIT_FAILURE;
}
