/*
 * measure1 SRC DST SIZE
 *
 * Copies the file SRC to the file DST, which is created or emptied first,
 * with read and write and a buffer of SIZE bytes. So it makes one read and one
 * write for every SIZE bytes.
 *
 * Then it prints on standard output how many seconds the copy took, as in
 * "0.123456 seconds". If SIZE is not a number greater than 0, the number of
 * operands is wrong or a file cannot be opened, it prints a message on
 * standard error and exits with a status other than 0.
 */
#include <stdlib.h>

int main(void)
{
    return EXIT_SUCCESS;
}
