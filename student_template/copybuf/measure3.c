/*
 * measure3 SRC DST SIZE
 *
 * Copies the file SRC to the file DST, which is created or emptied first,
 * with fread and fwrite, SIZE bytes at a time, like measure2, but without
 * stdio's buffers: see setvbuf(3).
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
