/* Evasion: makes itself undumpable, so that its accounting cannot be read. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    MUST_FAIL(prctl(PR_SET_DUMPABLE, 0));
}
