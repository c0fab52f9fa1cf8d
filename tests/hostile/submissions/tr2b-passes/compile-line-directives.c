/* Compile: claims to be other files, so that messages about them would be shown. */
#include "attack.h"

#line 1 "/etc/passwd"
#warning shown
#line 1 "../../../../etc/shadow"
#warning shown
#line 1 "\033[2J<script>alert(1)</script>"
#warning shown

static void attack(void)
{
}
