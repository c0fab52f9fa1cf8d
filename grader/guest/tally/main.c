/* tally: run one program with limits and a uid, and say on a private descriptor how it ended and what it cost.
 *
 *   tally --report-fd N --mode plain|account [options] -- PROGRAM [OPERAND...]
 *   tally --exec [options] -- PROGRAM [OPERAND...]
 *
 * PROGRAM is a path (PATH is not searched). The options stand in the table `rules`. Standard streams and environment
 * are passed on as they are.
 *
 * THEORY OF OPERATION
 *
 *     guest runner ── tally ─┬─ helper       only with --uid: waits for one order, to kill all that the uid has
 *                            └─ the program ── whatever it starts
 *
 * The helper is forked first, then the child that becomes the program. The child takes the steps of the table
 * `steps`, in that order, and says over a close-on-exec socket that it is ready. tally starts the clock and lets it
 * call execve. From then on tally sleeps until a signal: the program ended, an orphan is to be reaped, the wall limit
 * is reached, or tally is told to end. When the program's own process has ended, all that it left behind is killed
 * and reaped; then one JSON object is written to the report descriptor.
 *
 * Two failure channels, never mixed. What the program did is an "ending", and tally exits 0, however bad it is. What
 * failed on our side is a "fault", with a message on standard error and exit status 125; it says nothing about the
 * program. execve has both kinds: see `is_programs_fault`.
 *
 *   {"tally":1,"ending":ENDING,"wall_s":S,"user_s":S,"sys_s":S,"peak_memory_bytes":N,
 *    "accounting":null|{"reads":N,"writes":N,"read_bytes":N,"written_bytes":N}}
 *   ENDING: {"kind":"exited","code":N} | {"kind":"signalled","signal":N} | {"kind":"limit","limit":"cpu|wall|output"}
 *           | {"kind":"not_started","errno":N,"message":"..."}
 *   {"tally":1,"fault":{"step":"...","errno":N,"message":"..."}}
 *
 * There is no limit "memory": a program that meets RLIMIT_AS is refused memory and may do anything then, and a SIGKILL
 * from the kernel's out-of-memory killer looks like any other. The cgroup's counter knows; the guest reads it.
 *
 * With --exec tally takes the same steps in its own process and calls execve: no fork, no report, no wall limit. That
 * is for running beneath strace (`strace -f -o LOG tally --exec ...`), whose tracee has to be tally itself.
 *
 * Mode `account` takes two of the kernel's own totals (the numbers of /proc/PID/io) and reports their difference:
 *   - the program's, at the stop of its first execve. The kernel's reads of the program's file (3 to 6 of them) were
 *     counted before that stop; what is counted after it, the program did. The tracer detaches then and there: nothing
 *     costs time, signals and stops are the kernel's business, and a program that looks for a tracer finds none.
 *   - what is added to our own total when we reap the program: all that it, its threads and the children it waited for
 *     were counted for, however it ended. A read at PTRACE_EVENT_EXIT, compared with this, saw 0 of 100 writes that a
 *     thread made after the leading one had ended; and it, like a read from the zombie, was refused for a program that
 *     had made itself undumpable. Our own numbers nobody can refuse us.
 * Not counted: children that the program did not wait for, and calls that move bytes without read or write (mmap,
 * splice). Counted: the kernel's reads for a second execve. A program whose own uid may not read its file cannot be
 * read at its execve: null.
 *
 * Privileges: root that has no capability but SETUID, SETGID and KILL; or, without --uid, any user. PTRACE_SEIZE
 * happens while the child still has our uid, and needs none. One tally at a time for one uid, and a uid that has
 * nothing else to do: all its processes in our pid namespace and the ones below it are killed in the end.
 *
 * The guard (guard.c) is installed just before execve in every mode and with --exec. A kernel without seccomp is a
 * fault of the step "seccomp"; with --no-guard there is no guard: for such kernels, if their grades may be worth less,
 * and for programs that we trust and it would be in the way of (strace itself).
 */
#include "tally.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct run run = {.parent = getppid(), .report_fd = -1, .order = -1, .channel = -1, .io_fd = -1, .filter = {.is_exact = true}};
    char **arguments = argv + (argc > 0 ? 1 : 0);
    find_report(&run, arguments);
    read_options(&run, arguments);
    for (int fd = 0; fd < CHANNEL_FD; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            die(&run, "streams", EBADF, "descriptors 0 to 2 must be open, else ours would take their numbers");
    if (run.plan.given[EXEC])
        exec_in_place(&run);
    prepare(&run);
    start_program(&run);
    watch(&run);
    collect(&run);
    if (!sweep(&run))
        die(&run, "sweep", ETIMEDOUT, "something that the program left does not end");
    report(&run);
    return 0;
}
