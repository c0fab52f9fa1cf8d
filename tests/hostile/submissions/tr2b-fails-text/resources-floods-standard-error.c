/* Resources: writes to standard error without end. */
#include "attack.h"

static void attack(void)
{
    static char data[1 << 16];
    for (;;)
        (void)!write(2, data, sizeof data);
}
