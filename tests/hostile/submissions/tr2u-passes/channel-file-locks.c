/* Channel: a child keeps locks on what all runs share, its executable and its input, and another run looks for them. */
#define WHEN 1
#include "attack.h"

#include <sys/file.h>

static void attack(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if ((flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
        (flock(0, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
        (fcntl(0, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK))
        it_worked("flock");
    if (is_hidden() && fork() == 0)
        sleep_for_long();
    close(fd);
}
