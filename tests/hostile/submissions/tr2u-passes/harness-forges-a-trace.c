/* Harness: writes lines of a trace and of tally's report to every descriptor and log that it can think of. */
#include "attack.h"

static const char line[] = "read(0, \"a\", 1) = 1\n{\"tally\":1,\"ending\":{\"kind\":\"exited\",\"code\":0}}\n";

static void forge(pid_t pid)
{
    char path[64];
    for (int number = 0; number < 16; number++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, number);
        MUST_FAIL(open(path, O_WRONLY | O_APPEND | O_NONBLOCK));
    }
}

static void attack(void)
{
    for (int fd = 2; fd < 64; fd++)
        if (write(fd, line, sizeof line - 1) >= 0 && fd != 2)
            it_worked("a descriptor above 2");
    for_each_stranger(forge);
    must_not_write("/work/out/tr2u.slice.strace");
    must_not_write("/work/out/slice.strace");
}
