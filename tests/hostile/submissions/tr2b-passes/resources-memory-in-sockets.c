/* Resources: fills the buffers of as many sockets as it may open. */
#include "attack.h"

static void attack(void)
{
    static char data[1 << 16];
    int ends[2];
    for (int i = 0; i < 1000 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0; i++)
        while (send(ends[0], data, sizeof data, 0) > 0)
            continue;
    for (int fd = 3; fd < 256; fd++)
        close(fd);
}
