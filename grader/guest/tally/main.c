/* tally: run one program with limits and a uid, and report on a private descriptor how it ended and what it cost.
 *
 *   tally --report-fd N --mode plain|account|filter [options] -- PROGRAM [OPERAND...]
 *   tally --exec [options] -- PROGRAM [OPERAND...]
 *   tally --options-fd N
 *
 * With --options-fd all these words are in a file, in which a NUL byte ends each of them: a program can read the
 * command line of its parent. PROGRAM is a path (PATH is not searched). The table in options.c lists the options. Standard streams and
 * environment are passed on unchanged.
 *
 * THE FILES, each above those it uses:
 *
 *     main.c
 *     watch.c, until the program ends
 *     sweep.c, which leaves nothing behind, and looks how long all of it waited
 *     filter.c, mode `filter`
 *     start.c, which forks the killer and the program; inputs.c, the files of the input; account.c, mode `account`
 *     options.c; processes.c, the limit of spare processes; killer.c; parent.c; report.c; strays.c, what the guard tells
 *     fault.c; opens.c, which files are opened again; refusals.c, what else than the guard refuses a call
 *     own_limits.c, the limits that a program sets for itself
 *     child.c, the steps of the child; calls.c, which counts calls
 *     guard.c, the seccomp filter; landlock.c, the files; registers.c; tools.c
 *
 * THEORY OF OPERATION
 *
 *     guest runner ── tally ─┬─ killer       only with --uid: waits for the order to kill everything with that uid
 *                            └─ the program ── whatever it starts
 *
 * The killer is forked first, then the child that becomes the program. The child runs the steps of the table `steps`
 * in child.c, in that order. Before the last of them it reports over a close-on-exec socket that it is ready. tally
 * then starts the clock and lets the child install the guard and call execve. From then on tally sleeps until a
 * signal arrives: the program has ended, an orphan must be reaped, the wall limit is reached, or somebody asks tally
 * to end. It also wakes at each tick: time in which it did not run itself is not the program's, and wall_s has none of
 * it. When the program's own process has ended, everything that it left behind is killed and reaped. Then one
 * JSON object is written to the report descriptor.
 *
 * There are two failure channels, which are never mixed. What the program did is an "ending", and tally exits with 0,
 * however bad the ending is. What failed on our side is a "fault", with a message on standard error and exit status
 * 125; a fault says nothing about the program. A failed execve can be either: see `is_caused_by_program`.
 *
 *   {"tally":1,"ending":ENDING,"waited_s":S|null,"wall_s":S,"user_s":S,"sys_s":S,"peak_memory_bytes":N,
 *    "accounting":null|{"reads":N,"writes":N,"read_bytes":N,"written_bytes":N},
 *    "trace":null|{"complete":true|false,"calls":{NAME:{"calls":N,"errors":N},...},
 *                  "stdin":STREAM,"stdout":STREAM,"other_reads":STREAM,"other_writes":STREAM,
 *                  "strays":[NAME,...],"refused":[NAME,...],"limits_reached":[LIMIT,...],
 *                  "input_mappings":N,"transfers_only":true|false},
 *    "opened_again":null|true|false,"left_processes":N,"strays":null|[NAME,...]}
 *   LIMIT: "memory|processes|open_files|file_size|cpu_time|locked_memory"
 *   STREAM: {"calls":N,"bytes":N,"nbyte_min":N|null,"nbyte_max":N|null}
 *   ENDING: {"kind":"exited","code":N} | {"kind":"signalled","signal":N} | {"kind":"limit","limit":"cpu|wall|stops|output"}
 *           | {"kind":"not_started","errno":N,"message":"..."}
 *   {"tally":1,"fault":{"step":"...","errno":N,"message":"..."}}
 *
 * A limit that the program has lowered itself is none of ours: reaching it is its own affair, and the signal for it is
 * like any other.
 *
 * There is no limit "memory". A program that reaches RLIMIT_AS gets no more memory and may then do anything, and a
 * SIGKILL from the kernel's out-of-memory killer looks like any other SIGKILL. The guest reads the cgroup's counter
 * instead.
 *
 * With --exec, tally runs the same steps in its own process and calls execve: no fork, no report, no wall limit. This
 * is for running under strace (`strace -f -o LOG tally --exec ...`), whose tracee must be tally itself.
 *
 * Mode `account` takes two of the kernel's totals (the numbers of /proc/PID/io) and reports their difference:
 *   - The program's total at the stop of its first execve. The kernel's 3 to 6 reads of the program's file are
 *     counted before that stop, and everything counted after it is the program's. The tracer detaches right there.
 *     From then on tracing costs no time, the kernel handles signals and stops, and a program that looks for a tracer
 *     finds none.
 *   - What our own total grows by when we reap the program: everything counted for it, its threads, and the children
 *     it waited for, however it ended. Reading at PTRACE_EVENT_EXIT is worse: it saw 0 of 100 writes that a thread
 *     made after the leading thread had ended. And that read, like one from the zombie, was refused when the program
 *     had made itself undumpable. Nobody can refuse us our own numbers.
 *   - What our total grows by besides that belongs to processes that the program did not wait for: they become our
 *     children, and the sweep reaps them. Their calls and their CPU time are added to the program's. A program that
 *     ignored SIGCHLD would make the kernel forget its children's numbers; the guard refuses that.
 * Strays are calls that the totals do not show, in any of the program's processes: splice, tee and mappings of the input
 * (standard input's file, or if that is empty, the files in the folder of `--writable` at the start). With `--read-nbyte`
 * and `--write-nbyte` they are splice, tee and all other calls on these streams than those that conform in mode `filter`,
 * and calls that could hide such ones (the table `strays` in guard.c). The filter makes such a call wait until a thread of
 * tally has noted it, and the call then does what it should: neither it nor the fate of a child shows the program that
 * somebody looks (strays.c). With more strays than `--max-stops` the run is ended. Where the kernel cannot do this, strays
 * is null, splice, tee and mappings of descriptor 0 are refused, and the others end the process (SIGSYS). opened_again
 * says whether somebody opened the file of one of the streams meanwhile; null if it is not known, and in runs without
 * `--read-nbyte`.
 * Not counted: mappings of other files. Counted: the kernel's reads for a second execve. If the program's own uid may not
 * read the program's file, the total at its execve cannot be read, and the accounting is null.
 *
 * Mode `filter` counts every call by name, with its failures, and reads and writes by stream, with their nbyte. It
 * shows what strace -f shows, call for call and name for name, at nearly the speed of the program alone.
 *   - `--read-nbyte N` makes read(0, _, N) conforming, and `--write-nbyte N` makes write(1, _, N) conforming. A
 *     seccomp filter lets these pass in the kernel, without a stop. Every other call stops twice (at
 *     PTRACE_EVENT_SECCOMP and when it returns) and is inspected. tally stays attached, and follows threads and
 *     children from their first moment.
 *   - The number of conforming calls, and the bytes they moved, is what the kernel counted for all threads by their
 *     end (PTRACE_EVENT_EXIT), minus what it counted during stopped calls, which is read at both of their stops. So
 *     tally does not rely on a list of the calls that count. Measured on Linux 6.18: read, pread64, readv, preadv,
 *     preadv2 and their counterparts for writing count one each; sendfile and copy_file_range count one of both;
 *     splice, tee, vmsplice, send, recv, mmap, io_submit and io_uring count none. A read at the end of the file
 *     counts, and so does one that fails with EFAULT, EAGAIN, EISDIR or ENOSPC. EBADF counts for readv but not for
 *     read. EFAULT for a kernel address does not count. At the end of the file sendfile counts and copy_file_range
 *     does not. execve counts the kernel's reads of the file.
 *   - `--max-stops N` ends a run that would be stopped more often ("limit":"stops"): stops of ten million calls take
 *     minutes. `--transfers-only` stops fewer calls (the table `transfers` in guard.c): the streams and
 *     input_mappings and strays are as complete as without it, and "calls" has only the calls that were stopped or conform.
 *   - Reads of standard input's file by another descriptor (dup, /dev/stdin) are reads of standard input, and those of
 *     another file by descriptor 0 are not. input_mappings are successful calls of mmap for that file. The trace's strays
 *     are those of mode `account` with the same options.
 *   - So a conforming call on a closed descriptor would not be seen. But a call that closes or replaces descriptor 0
 *     or 1 or makes it non-blocking is itself stopped; from then on conforming calls are stopped too.
 *   - An interrupted call is restarted, or never returns. The kernel has counted it, strace shows "?", and read_log
 *     leaves it out. We see it in the registers at the stop for the signal, and subtract it.
 *   - The threads' numbers are read at their own stops, so children count even if nobody waits for them because they
 *     are orphaned or ignored. Only processes that still run when the program's own process has ended are missed, and
 *     then the trace is not complete. It is not complete either after a limit, without the kernel's numbers, or if
 *     the two counts contradict each other.
 *   - Not known: whether a conforming read that returned no bytes met the end of the file or failed (EFAULT, EIO). It
 *     does not count as an error. Not seen: calls that another filter around us refuses, such as a container's,
 *     because its answer takes precedence over ours. Those calls did nothing. A program can see in /proc/self/status
 *     that it is traced.
 *   - The names come from call_names.h and their numbers from the system's headers, so the object is right on every
 *     architecture and needs no table to read. A number that the headers do not know is "syscall_0x...", as in
 *     strace.
 * Measured CPU time for a copy of 1,000,000 bytes with one byte per call, medians of 9 interleaved runs on a busy
 * machine, with the program alone = 1: account 0.99; filter 1.07; filter with the two conforming cases after the
 * guard's rules 1.10; guard and filter as two filters 1.20; without SECCOMP_FILTER_FLAG_SPEC_ALLOW 1.07 (this kernel
 * does not link the two). A stopped call takes 13 to 20 microseconds.
 *
 * Privileges: either root without any capability except SETUID, SETGID and KILL, or, without --uid, any user.
 * PTRACE_SEIZE needs none, because it happens while the child still has our uid. There must be only one tally at a
 * time for one uid, and that uid must have nothing else to do: in the end all its processes are killed, in our pid
 * namespace and in those below it.
 *
 * The guard (guard.c) is installed just before execve, in every mode and with --exec. In mode `filter` it is part of
 * that mode's filter: a refused call is stopped and counted, and tally makes it fail. A kernel without seccomp is a
 * fault of the step "seccomp". With --no-guard there is no guard. That option is for such kernels, if their grades
 * may be worth less, and for programs that we trust and that the guard would get in the way of (strace itself).
 *
 * With --limits-only, mode `filter` stops only calls that the guard refuses, that may fail because of a limit, or
 * that name files, and counts nothing: "refused" and "limits_reached" are what such a run shows. The kernel reports
 * file_size and cpu_time by signals, so no write is stopped for them. "refused" also
 * has calls that failed because of what is around the program, each with what was refused, as in "openat outside":
 * see refusals.c.
 *
 * With --threads-only the guard refuses new processes, but no threads.
 *
 * With --argv0 NAME the program finds NAME in argv[0], in place of its path.
 *
 * With --writable DIR the program can change files under DIR only, if the kernel has Landlock (landlock.c).
 */
#include "tally.h"

#include "account.h"
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
    struct run run = {
        .parent = getppid(),
        .report_fd = -1,
        .killer_pipe = -1,
        .child_socket = -1,
        .io_fd = -1,
        .thread_io_fd = -1,
        .opens_fd = -1,
        .strays_fd = -1,
        .waited_s = -1,
        .filter = {.is_exact = true},
        .clean_up = sweep,
    };
    char **arguments = read_arguments(&run, argv + (argc > 0 ? 1 : 0));
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
    add_orphans(&run);
    report(&run);
    return 0;
}
