/* tally: run one program with limits and a uid, and say on a private descriptor how it ended and what it cost.
 *
 *   tally --report-fd N --mode plain|account|filter [options] -- PROGRAM [OPERAND...]
 *   tally --exec [options] -- PROGRAM [OPERAND...]
 *
 * PROGRAM is a path (PATH is not searched). The options stand in options.c, in the table `rules`. Standard streams and
 * environment are passed on as they are.
 *
 * Parts: options.c; start.c forks (processes.c says how many more there may be), child.c sets up the child, guard.c puts its filter in place; watch.c waits,
 * account.c and filter.c (with calls.c and registers.c) count; sweep.c leaves nothing behind; report.c.
 *
 * THEORY OF OPERATION
 *
 *     guest runner ── tally ─┬─ helper       only with --uid: waits for one order, to kill all that the uid has
 *                            └─ the program ── whatever it starts
 *
 * The helper is forked first, then the child that becomes the program. The child takes the steps of the table
 * `steps`, in that order, and says before the last of them, over a close-on-exec socket, that it is ready. tally starts
 * the clock and lets it put the guard in place and call execve. From then on tally sleeps until a signal: the program ended, an orphan is to be reaped, the wall limit
 * is reached, or tally is told to end. When the program's own process has ended, all that it left behind is killed
 * and reaped; then one JSON object is written to the report descriptor.
 *
 * Two failure channels, never mixed. What the program did is an "ending", and tally exits 0, however bad it is. What
 * failed on our side is a "fault", with a message on standard error and exit status 125; it says nothing about the
 * program. execve has both kinds: see `is_programs_fault`.
 *
 *   {"tally":1,"ending":ENDING,"wall_s":S,"user_s":S,"sys_s":S,"peak_memory_bytes":N,
 *    "accounting":null|{"reads":N,"writes":N,"read_bytes":N,"written_bytes":N},
 *    "trace":null|{"complete":true|false,"calls":{NAME:{"calls":N,"errors":N},...},
 *                  "stdin":STREAM,"stdout":STREAM,"other_reads":STREAM,"other_writes":STREAM}}
 *   STREAM: {"calls":N,"bytes":N,"nbyte_min":N|null,"nbyte_max":N|null}
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
 * Mode `filter` counts every call by name, with its failures, and reads and writes by stream, with their nbyte: what
 * strace -f shows, call for call and name for name, at about the program's own speed.
 *   - `--read-nbyte N` makes read(0, _, N) conforming, `--write-nbyte N` write(1, _, N). A seccomp filter lets these
 *     pass in the kernel, without a stop. All other calls stop twice (PTRACE_EVENT_SECCOMP, and when they return) and
 *     are looked at. tally stays attached; threads and children are followed from their first moment.
 *   - The number of conforming calls, and what they moved, is what the kernel counted for all threads by their ends
 *     (PTRACE_EVENT_EXIT), less what it counted for during stopped calls, looked at at both of their stops. No list of
 *     which calls count is relied on. On Linux 6.18 this was measured: read, pread64, readv, preadv, preadv2 and their
 *     kin for writing count one each; sendfile and copy_file_range one of both; splice, tee, vmsplice, send, recv, mmap,
 *     io_submit, io_uring none. A read at the end of the file counts, as does EFAULT, EAGAIN, EISDIR or ENOSPC; EBADF
 *     counts for readv and not for read, a kernel's address (EFAULT) not; copy_file_range at the end of the file does
 *     not and sendfile does; execve counts the kernel's reads of the file.
 *   - So a conforming call on a closed descriptor would not be seen. Before descriptor 0 or 1 is closed, replaced or
 *     made non-blocking a call has to stop; from then on conforming calls are stopped as well.
 *   - An interrupted call is made again, or never returns. The kernel has counted it; strace shows "?" and read_log
 *     leaves it out. We see it in the registers at the stop for the signal, and take it off.
 *   - Threads' own numbers, at their own stops, need nobody to wait for a child: children that are orphaned or ignored
 *     are counted. Only who still runs when the program's own process has ended is not, and then the trace is not
 *     complete. Nor is it after a limit, without the kernel's numbers, or if the two counts contradict each other.
 *   - Not known: whether a conforming read that brought nothing has met the end of the file or has failed (EFAULT, EIO);
 *     it counts as no error. Not seen: calls that another filter around us refuses, such as a container's, for its
 *     answer goes before ours: they did nothing. A program can see in /proc/self/status that it is traced.
 *   - The names come from call_names.h and the system's headers, so the object is right on every architecture and for
 *     whoever reads it. A number that the headers do not know is "syscall_0x...", as for strace.
 * Measured, CPU time on a 1,000,000-byte copy of one byte a call, medians of 9 interleaved runs on a busy machine, the
 * program alone = 1: account 0.99, filter 1.07, the same with the two cases after the guard's rules 1.10, guard and
 * filter as two filters 1.20; without SECCOMP_FILTER_FLAG_SPEC_ALLOW 1.07 (this kernel does not link the two). A
 * stopped call takes 13 to 20 microseconds.
 *
 * Privileges: root that has no capability but SETUID, SETGID and KILL; or, without --uid, any user. PTRACE_SEIZE
 * happens while the child still has our uid, and needs none. One tally at a time for one uid, and a uid that has
 * nothing else to do: all its processes in our pid namespace and the ones below it are killed in the end.
 *
 * The guard (guard.c) is installed just before execve in every mode and with --exec, in mode `filter` as a part of its
 * filter: there a refused call is stopped, counted, and made to fail by tally. A kernel without seccomp is a
 * fault of the step "seccomp"; with --no-guard there is no guard: for such kernels, if their grades may be worth less,
 * and for programs that we trust and it would be in the way of (strace itself).
 */
#include "tally.h"

#include "fault.h"
#include "options.h"
#include "report.h"
#include "start.h"
#include "sweep.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct run run = {.parent = getppid(), .report_fd = -1, .killer_pipe = -1, .child_socket = -1, .io_fd = -1, .filter = {.is_exact = true}, .clean_up = sweep};
    char **arguments = argv + (argc > 0 ? 1 : 0);
    find_report_fd(&run, arguments);
    read_options(&run, arguments);
    for (int fd = 0; fd < CHILD_SOCKET_FD; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            die(&run, "streams", EBADF, "descriptors 0 to 2 must be open, else ours would take their numbers");
    if (run.plan.given[EXEC])
        exec_in_place(&run);
    prepare(&run);
    start_program(&run);
    watch(&run);
    collect_result(&run);
    if (!sweep(&run))
        die(&run, "sweep", ETIMEDOUT, "something that the program left does not end");
    report(&run);
    return 0;
}
