/* Resources: sleeps. */
#include "attack.h"

static void attack(void)
{
    sleep_for_long();
}
