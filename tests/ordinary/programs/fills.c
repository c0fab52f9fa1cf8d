/* Fills the disk that it is on, a file after the other, and then copies as it should. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char block[50000];

static void fill(void)
{
    char name[32];
    for (int i = 0; i < 400; i++) {
        (void)snprintf(name, sizeof name, "fills-%d", i);
        const int fd = open(name, O_WRONLY | O_CREAT, 0600);
        while (fd >= 0 && write(fd, block, sizeof block) > 0 && lseek(fd, 0, SEEK_CUR) < 90000)
            continue;
        (void)close(fd);
    }
}
