/* Evasion: moves bytes by the older asynchronous I/O, which the accounting does not count. */
#include "attack.h"

static void attack(void)
{
    unsigned long context = 0;
    MUST_FAIL(syscall(SYS_io_setup, 1, &context));
    MUST_FAIL(syscall(SYS_io_submit, context, 0, NULL));
}
