/*
 * tr2u - transliterate bytes, unbuffered
 *
 *     tr2u from to < input > output
 *
 * Copies standard input to standard output. A byte that occurs in `from` is replaced by the byte at the same place in `to`; every
 * other byte is copied as it is.
 *
 *   - Data moves through the system calls read and write only, each with an nbyte of 1: one read and one write for every byte.
 *     (For messages on standard error you may use stdio.)
 *   - `from` and `to` are byte strings of the same length. `to` may hold a byte more than once, `from` may not.
 *   - Different lengths, or a byte twice in `from`: say so on standard error, copy nothing, and exit with a status other than 0.
 *   - Bytes, not characters: each of the values 0 to 255 may turn up in the input, and each but 0 in an operand.
 *   - Unlike tr, there are no options and no notations: `[`, `-` and `\` stand for themselves, wherever they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
