/* Evasion: executes a copy of itself that is in memory only, which then does what it should. */
#include "attack.h"

static char data[1 << 16];

static void attack(void)
{
    extern char **environ;
    ssize_t length = 0;
    if (getenv("AGAIN") != NULL)
        return;
    const int self = open("/proc/self/exe", O_RDONLY), copy = memfd_create("program", 0);
    while ((length = read(self, data, sizeof data)) > 0)
        if (write(copy, data, (size_t)length) != length)
            break;
    close(self);
    setenv("AGAIN", "1", 1);
    (void)fexecve(copy, operands, environ);
}
