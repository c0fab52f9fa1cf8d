/* The process that started tally: a run without it has no reader. */
#include "parent.h"

#include "fault.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Ask for a signal when our parent ends. The kernel forgets the request when our ids change, even the ids for files,
 * so this is called again after each such change. The parent may have ended before the request. */
void watch_parent(struct run *run)
{
    if (prctl(PR_SET_PDEATHSIG, PARENT_DIED, 0, 0, 0) != 0)
        die(run, "pdeathsig", errno, NULL);
    if (getppid() != run->parent)
        die(run, "parent", ESRCH, "the process that started tally has ended");
}
