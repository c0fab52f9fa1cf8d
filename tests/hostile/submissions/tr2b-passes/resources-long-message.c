/* Resources: writes much to standard error, and then does what it should. */
#include "attack.h"

static void attack(void)
{
    static char data[1 << 10];
    memset(data, 'e', sizeof data);
    for (int i = 0; i < 64; i++)
        (void)!write(2, data, sizeof data);
}
