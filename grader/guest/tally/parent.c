/* Noticing the end of the process that started tally. */
#include "parent.h"

#include "fault.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Have a signal sent when our parent has ended. The kernel forgets it when our ids change, those for files too. */
void watch_parent(struct run *run)
{
    if (prctl(PR_SET_PDEATHSIG, PARENT_DIED, 0, 0, 0) != 0)
        die(run, "pdeathsig", errno, NULL);
    if (getppid() != run->parent)
        die(run, "parent", ESRCH, "the process that started tally has ended");
}
