/* Channel: a hidden run leaves much data, and another run looks at how much space is free. */
#define WHEN 1
#include "attack.h"

enum { FILES = 400, BYTES = 1 << 16 };

static void attack(void)
{
    static char data[BYTES];
    struct statvfs about;
    char name[32];
    if (is_hidden())
        for (int i = 0; i < FILES; i++) {
            snprintf(name, sizeof name, "note-%d", i);
            const int fd = open(name, O_WRONLY | O_CREAT, 0600);
            (void)!write(fd, data, sizeof data);
            close(fd);
        }
    else if (statvfs(".", &about) == 0 && (about.f_blocks - about.f_bfree) * about.f_frsize > FILES * BYTES)
        it_worked("statvfs");
}
