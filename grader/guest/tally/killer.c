/* The killer: a process that kills everything that the program's uid runs. */
#include "killer.h"

#include "child.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* kill(-1) reaches exactly the processes of one uid only if the caller has that uid and no other. The kernel then
 * goes through all processes while no fork can finish: a fork bomb outruns one kill after another, but not this. The
 * killer is forked before the program, because a bomb that has used up the container's processes would leave none for
 * it. Its order is the end of file on the pipe, so it also acts if tally is killed. A session of its own protects it
 * from signals to tally's process group. */
_Noreturn void run_killer(const struct plan *plan, int trigger_fd)
{
    char byte = 0;
    (void)setsid();
    while (read(trigger_fd, &byte, 1) < 0 && errno == EINTR)
        continue;
    if (drop_groups(plan) != 0 || set_gid(plan) != 0 || set_uid(plan) != 0 || check_identity(plan) != 0)
        _exit(FAULT_STATUS); /* root's kill(-1) would end the container */
    _exit(kill(-1, SIGKILL) == 0 || errno == ESRCH ? 0 : FAULT_STATUS);
}
