/* Escape: puts words into the input of the terminal that it writes to, and takes terminals over. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    if (!isatty(1))
        return;
    for (const char *word = "\003exit\n"; *word != '\0'; word++)
        if (ioctl(1, TIOCSTI, word) == 0 || ioctl(1, TIOCLINUX, word) == 0)
            it_worked("ioctl");
    MUST_FAIL(ioctl(1, TIOCCONS));
}
