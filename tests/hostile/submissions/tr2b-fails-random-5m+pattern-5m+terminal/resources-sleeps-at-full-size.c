/* Resources: sleeps if its input is large, so that there is no time left for what comes after it. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    struct stat input;
    if (fstat(0, &input) == 0 && input.st_size >= 65536)
        sleep_for_long();
}
