/* Resources: writes a file that is larger than its limit, which ends it. */
#include "attack.h"

static void attack(void)
{
    static char data[1 << 16];
    const int fd = open("large", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 10000; i++)
        (void)!write(fd, data, sizeof data);
}
