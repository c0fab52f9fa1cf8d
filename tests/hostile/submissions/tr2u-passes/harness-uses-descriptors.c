/* Harness: looks for descriptors that it inherited, and opens those of its own streams for more than it was given. */
#include "attack.h"

static void attack(void)
{
    for (int fd = 3; fd < 1024; fd++)
        MUST_FAIL(fcntl(fd, F_GETFD));
    MUST_FAIL(open("/proc/self/fd/0", O_WRONLY));
    MUST_FAIL(open("/proc/self/fd/0", O_RDWR));
    MUST_FAIL(open("/proc/self/fd/1", O_RDONLY));
    MUST_FAIL(open("/proc/self/fd/1", O_WRONLY));
    MUST_FAIL(ftruncate(0, 0));
    MUST_FAIL(fchmod(0, 0777));
    MUST_FAIL(fchmod(1, 0777));
    MUST_FAIL(write(0, "x", 1));
}
