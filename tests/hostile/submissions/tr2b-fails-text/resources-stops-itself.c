/* Resources: stops itself with SIGSTOP. */
#include "attack.h"

static void attack(void)
{
    raise(SIGSTOP);
}
