/* Resources: makes files until it may make no more: many, large ones, and ones with holes. */
#include "attack.h"

static void attack(void)
{
    static char data[1 << 16];
    char name[64];
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "file-%d", i);
        const int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || write(fd, data, sizeof data) < 0)
            break;
        (void)!ftruncate(fd, 1LL << 40);
        close(fd);
    }
    for (int i = 0; i < 6000; i++) {
        snprintf(name, sizeof name, "empty-%d", i);
        const int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0)
            break;
        close(fd);
    }
}
