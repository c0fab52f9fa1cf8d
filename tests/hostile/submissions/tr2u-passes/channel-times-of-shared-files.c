/* Channel: sets the times, the mode and an attribute of files that all runs share. */
#define WHEN 1
#include "attack.h"

#include <sys/xattr.h>

static void attack(void)
{
    static const struct timespec times[2] = {{1, 0}, {1, 0}};
    struct stat status;
    if (fstat(0, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    MUST_FAIL(futimens(0, times));
    MUST_FAIL(futimens(0, NULL));
    MUST_FAIL(fchmod(0, 0777));
    MUST_FAIL(fsetxattr(0, "user.note", "x", 1, 0));
    MUST_FAIL(utimensat(AT_FDCWD, "/proc/self/exe", times, 0));
    MUST_FAIL(setxattr("/proc/self/exe", "user.note", "x", 1, 0));
}
