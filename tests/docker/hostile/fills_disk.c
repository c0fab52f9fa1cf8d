/* Fills whatever it may write to with many files, none of them large. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void act(void)
{
    static char block[1 << 16];
    char name[64];
    for (int i = 0; i < 20000; i++) {
        (void)snprintf(name, sizeof name, "fill-%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || write(fd, block, sizeof block) < 0)
            break;
        (void)close(fd);
    }
}
