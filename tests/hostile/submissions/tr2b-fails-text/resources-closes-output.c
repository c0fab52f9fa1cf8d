/* Resources: closes standard output. */
#include "attack.h"

static void attack(void)
{
    close(1);
}
