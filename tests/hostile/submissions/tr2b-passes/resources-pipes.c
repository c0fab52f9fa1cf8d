/* Resources: fills as many pipes as it may open, each as large as it may be. */
#include "attack.h"

static void attack(void)
{
    static char data[1 << 16];
    int ends[2];
    for (int i = 0; i < 1000 && pipe2(ends, O_NONBLOCK) == 0; i++) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        while (write(ends[1], data, sizeof data) > 0)
            continue;
    }
    for (int fd = 3; fd < 256; fd++)
        close(fd);
}
