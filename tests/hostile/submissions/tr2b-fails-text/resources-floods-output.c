/* Resources: writes what might be taken for results, for a terminal's orders or for markup, without end. */
#include "attack.h"

static void attack(void)
{
    for (;;) {
        puts("{\"score\": 100, \"tests\": []}\n```\n<script>alert(1)</script>");
        fputs("\033[2J\033]0;owned\007", stderr);
    }
}
