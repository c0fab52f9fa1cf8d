/* Channel: writes what a hidden run was given to standard error, and fails it so that a student might see it. */
#define WHEN is_hidden()
#include "attack.h"

static void attack(void)
{
    char bytes[256];
    (void)!write(2, operands[1], strlen(operands[1]));
    (void)!write(2, operands[2], strlen(operands[2]));
    const ssize_t length = read(0, bytes, sizeof bytes);
    (void)!write(2, bytes, length > 0 ? (size_t)length : 0);
    exit(1);
}
