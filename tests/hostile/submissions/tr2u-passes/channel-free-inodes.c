/* Channel: a hidden run leaves many files, and another run looks at how many may still be made. */
#define WHEN 1
#include "attack.h"

enum { MANY = 1500 };

static void attack(void)
{
    struct statvfs about;
    char name[32];
    if (is_hidden())
        for (int i = 0; i < MANY; i++) {
            snprintf(name, sizeof name, "note-%d", i);
            close(open(name, O_WRONLY | O_CREAT, 0600));
        }
    else if (statvfs(".", &about) == 0 && about.f_files - about.f_ffree > MANY)
        it_worked("statvfs");
}
