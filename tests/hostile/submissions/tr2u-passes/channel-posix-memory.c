/* Channel: leaves a note in POSIX shared memory, and looks for another run's. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    char text[8] = "";
    const int fd = shm_open("/iolab-note", O_RDWR | O_CREAT, 0666);
    if (fd < 0)
        return;
    if (pread(fd, text, sizeof text, 0) > 0)
        it_worked("shm_open");
    (void)!pwrite(fd, "note", 5, 0);
    close(fd);
}
