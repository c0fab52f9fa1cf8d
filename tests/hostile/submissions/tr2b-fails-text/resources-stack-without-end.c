/* Resources: calls itself without end. */
#include "attack.h"

static int deeper(volatile int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return deeper(depth + 1) + room[0];
}

static void attack(void)
{
    exit(deeper(0));
}
