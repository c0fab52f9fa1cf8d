/* Harness: changes its own executable, the other program, the sources and tally. */
#include "attack.h"

static void attack(void)
{
    static const char *const paths[] = {"/proc/self/exe", "/work/bin/tr2b", "/work/bin/tr2u", "/work/sources/tr2b.c",
                                        "/work/sources/tr2u.c", "/usr/local/bin/tally", "/usr/bin/gcc", "/usr/bin/strace",
                                        "/usr/bin/python3", "/etc/ld.so.preload", "/etc/ld.so.cache", "/etc/passwd"};
    char folder[4096];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        MUST_FAIL(open(paths[i], O_WRONLY));
        MUST_FAIL(truncate(paths[i], 0));
        MUST_FAIL(chmod(paths[i], 0777));
        MUST_FAIL(unlink(paths[i]));
        MUST_FAIL(rename(paths[i], "here"));
    }
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    MUST_FAIL(unlink(folder));
    MUST_FAIL(utimensat(AT_FDCWD, folder, NULL, 0));
    *strrchr(folder, '/') = '\0';
    MUST_FAIL(access(folder, W_OK));
    MUST_FAIL(chmod(folder, 0777));
}
