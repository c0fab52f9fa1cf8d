/* Resources: asks for a core file and crashes. */
#include "attack.h"

static void attack(void)
{
    const struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    MUST_FAIL(setrlimit(RLIMIT_CORE, &most));
    abort();
}
