/* Display: writes orders for a terminal to both its streams. */
#include "attack.h"

static void attack(void)
{
    fputs("\033[2J\033]0;owned\007\033]8;;http://invalid/\007here\033]8;;\007\x9b" "31m\b\b\b\r\v\f\x7f", stdout);
    fputs("\033[2J\033]0;owned\007\033]52;c;b3duZWQ=\007\x9b" "31m\b\b\b\r100/100\n", stderr);
}
