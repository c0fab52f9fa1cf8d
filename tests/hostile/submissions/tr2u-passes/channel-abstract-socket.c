/* Channel: leaves a child that answers at an abstract address, and looks for another run's. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0iolab-note"};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        it_worked("connect");
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0 && fork() == 0)
        sleep_for_long();
    close(fd);
}
