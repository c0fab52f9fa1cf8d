/* Mode `filter`: what tally does at the stops of the program's threads.
 *
 * A thread's calls fall into two classes. Conforming calls (read(0, _, N) and write(1, _, N)) pass the filter in the
 * kernel, and tally never sees them. Every other call stops twice, before it begins and when it returns, so tally
 * knows its arguments and its result. The number of conforming calls follows from the kernel's count of the thread's
 * reads and writes: the count when the thread ends, minus the count at the execve that started the program, minus its
 * growth during stopped calls. That growth is measured at both stops of each call, because kernels differ in which
 * calls they count, and in which of those they count when they fail. */
#include "filter.h"

#include "account.h"
#include "calls.h"
#include "fault.h"
#include "guard.h"
#include "own_limits.h"
#include "refusals.h"
#include "registers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYSTEM_CALL_STOP = SIGTRAP | 0x80 }; /* because of PTRACE_O_TRACESYSGOOD */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static struct io io_difference(const struct io *more, const struct io *less)
{
    return (struct io){more->reads - less->reads, more->writes - less->writes, more->read_bytes - less->read_bytes,
                       more->written_bytes - less->written_bytes};
}

static void add_io(struct io *sum, const struct io *part)
{
    sum->reads += part->reads;
    sum->writes += part->writes;
    sum->read_bytes += part->read_bytes;
    sum->written_bytes += part->written_bytes;
}

/* ---- threads ---- */

static struct thread *find_thread(const struct filter *filter, pid_t tid)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->threads[i].tid == tid)
            return &filter->threads[i];
    return NULL;
}

/* Each thread has its own numbers. The file is opened once, because each call reads it twice. */
static int open_io(pid_t tid)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/io", tid, tid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static struct thread *add_thread(struct run *run, pid_t tid)
{
    struct filter *filter = &run->filter;
    if (filter->count == filter->capacity) {
        const size_t capacity = filter->capacity * 2 + 16;
        struct thread *threads = realloc(filter->threads, capacity * sizeof *threads);
        if (threads == NULL)
            die(run, "threads", ENOMEM, NULL);
        filter->threads = threads;
        filter->capacity = capacity;
    }
    filter->threads[filter->count] = (struct thread){.tid = tid, .io_fd = filter->has_started ? open_io(tid) : -1};
    return &filter->threads[filter->count++];
}

static void forget_thread(struct filter *filter, struct thread *thread)
{
    if (thread->io_fd >= 0)
        (void)close(thread->io_fd);
    *thread = filter->threads[--filter->count];
}

/* The sweep needs descriptors, and a program may have had enough threads to use up all of ours. */
void forget_threads(struct filter *filter)
{
    while (filter->count > 0)
        forget_thread(filter, &filter->threads[0]);
}

/* Without these numbers only the stopped calls are known. */
static struct io read_thread_io(struct filter *filter, const struct thread *thread)
{
    struct io io = {0};
    if (!read_io(thread->io_fd, &io))
        filter->is_exact = false;
    return io;
}

/* ---- calls ---- */

/* After such a call a conforming call may fail in ways that the kernel does not count (the descriptor is closed) or
 * that its count does not show (there is no input yet), so from then on every call is stopped. Most programs make
 * such calls at their end, or never. For other threads it takes effect at their next stop. */
static bool ends_fast_path(const struct call *call)
{
    const unsigned int fd = (unsigned int)call->arguments[0];
    const unsigned int second = (unsigned int)call->arguments[1];
    switch (call->number) {
    case SYS_close:
    case SYS_close_range:
        return fd <= 1;
#ifdef SYS_dup2
    case SYS_dup2:
#endif
    case SYS_dup3:
        return second <= 1;
    case SYS_fcntl:
        return fd <= 1 && (second == F_SETFL || second == F_SETFD);
    case SYS_ioctl:
        return fd <= 1 && (second == FIONBIO || second == FIOCLEX);
    default:
        return false;
    }
}

/* Return whether a call takes bytes from standard input or puts them into standard output, by whatever descriptor of
 * the same file. Descriptor 0 or 1 may be another file: a child that closed it gets it for the next file that is opened,
 * such as the C library. If it is a pipe or a device now, the number decides, as in strace's log. */
static bool is_on_stream(const struct filter *filter, pid_t tid, const struct call *call)
{
    char path[PATH_MAX];
    struct stat file;
    const int fd = descriptor_of(call);
    const bool reads = takes_input(call);
    const struct stat *standard = reads ? &filter->input : &filter->output;
    if (fd < 0 || (!reads && !gives_output(call)))
        return false;
    if (S_ISREG(standard->st_mode) || S_ISFIFO(standard->st_mode)) {
        (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", tid, fd);
        if (stat(path, &file) == 0) {
            if (file.st_dev == standard->st_dev && file.st_ino == standard->st_ino)
                return true;
            if (S_ISREG(file.st_mode))
                return false;
        }
    }
    return fd == (reads ? STDIN_FILENO : STDOUT_FILENO);
}

/* A program that is stopped too often takes minutes: its run ends here, and another mode has to count its calls. */
static void count_stop(struct run *run)
{
    if (!run->plan.given[MAX_STOPS] || ++run->filter.stops <= run->plan.number[MAX_STOPS])
        return;
    run->hit_stops = true;
    (void)kill(run->program_pid, SIGKILL);
}

/* All strays have numbers of the table. */
static void note_stray(struct run *run, const struct call *call)
{
    if (call->number < CALL_NUMBERS && is_stray(&run->plan, call))
        run->filter.counts.is_stray[call->number] = true;
}

/* A shell that the program starts makes refused calls in every run, and goes on without them. */
static bool executes_program(const struct filter *filter, pid_t tid)
{
    char path[PATH_MAX];
    struct stat file;
    (void)snprintf(path, sizeof path, "/proc/%d/exe", tid);
    return stat(path, &file) != 0 ||
           (file.st_dev == filter->program.st_dev && file.st_ino == filter->program.st_ino);
}

/* The child of posix_spawn, and so of system and popen, sets SIGCHLD to what it is. The handler is the first word. */
static bool sets_default(pid_t tid, const struct call *call)
{
    errno = 0;
    return call->number == SYS_rt_sigaction &&
           (call->arguments[1] == 0 || (ptrace(PTRACE_PEEKDATA, tid, call->arguments[1], NULL) == 0 && errno == 0));
}

/* ENOSYS makes the C library use another call, so nothing is lost by that. */
static void note_refusal(struct run *run, const struct thread *thread)
{
    if (thread->refusal != 0 && thread->refusal != ENOSYS && thread->call.number < CALL_NUMBERS &&
        executes_program(&run->filter, thread->tid) && !sets_default(thread->tid, &thread->call))
        note_refused_call(&run->filter.counts, &thread->call,
                          thread->refusal == EPERM ? refused_part(&thread->call) : NULL);
}

/* The guard ends a process that makes such a call, at once. */
static void note_foreign_call(struct run *run, pid_t tid)
{
    unsigned long status = 0;
    if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &status) == 0 && (status & 0x7f) == SIGSYS && is_in_foreign_call(tid))
        run->filter.counts.is_refused[FOREIGN][CALL_NUMBERS] = true;
}

/* Here other programs that it starts, such as a shell's commands, count as well. Some shells look for a terminal in
 * every run. */
static void note_failure(struct run *run, const struct thread *thread, long long result)
{
    const unsigned long long number = thread->call.number;
    const enum refusal refusal =
        number < CALL_NUMBERS ? refusal_of(run, thread->tid, &thread->call, result) : NO_REFUSAL;
    if (refusal != NO_REFUSAL && (refusal != TERMINAL || executes_program(&run->filter, thread->tid)))
        run->filter.counts.is_refused[refusal][number] = true;
}

/* A program that runs into a limit of its own does so everywhere. */
static void note_limit(struct run *run, pid_t tid, enum limit limit)
{
    if (limit != NO_LIMIT && !is_lowered(&run->plan, tid, limit))
        run->filter.counts.is_reached[limit] = true;
}

/* A tracer sees signals even if the program ignores them. */
static void note_signal(struct run *run, pid_t tid)
{
    siginfo_t signal;
    if (run->filter.has_started && ptrace(PTRACE_GETSIGINFO, tid, NULL, &signal) == 0)
        note_limit(run, tid, limit_told_by(&run->plan, &signal));
}

/* A signal that the program blocked is still there at the end. */
static void note_blocked_signals(struct run *run, pid_t tid)
{
    /* SIGXFSZ is sent to a thread, SIGXCPU to the process. */
    static const unsigned queues[] = {0, PTRACE_PEEKSIGINFO_SHARED};
    siginfo_t signals[NSIG];
    for (size_t queue = 0; queue < LENGTH(queues); queue++) {
        const struct __ptrace_peeksiginfo_args all = {.flags = queues[queue], .nr = NSIG};
        const long count = ptrace(PTRACE_PEEKSIGINFO, tid, &all, signals);
        for (long i = 0; i < count; i++)
            note_limit(run, tid, limit_told_by(&run->plan, &signals[i]));
    }
}

static void begin_call(struct run *run, struct thread *thread, const struct call *call, int refusal)
{
    thread->call = *call;
    thread->is_in_call = true;
    thread->refusal = refusal;
    if (!run->filter.has_started)
        return;
    count_stop(run);
    thread->is_on_stream = is_on_stream(&run->filter, thread->tid, call);
    note_stray(run, call);
    note_refusal(run, thread);
    thread->io_at_call = read_thread_io(&run->filter, thread);
    run->filter.stops_all_calls |= !run->plan.given[LIMITS_ONLY] && ends_fast_path(call);
    if (refusal != 0 && !cancel_call(thread->tid) && errno != ESRCH)
        die(run, "refuse", errno, NULL);
}

static void leave_call(struct filter *filter, struct thread *thread)
{
    const struct io now = read_thread_io(filter, thread);
    const struct io growth = io_difference(&now, &thread->io_at_call);
    add_io(&filter->stopped_io, &growth);
    thread->is_in_call = false;
}

/* An interrupted call is restarted or never returns, so it does not count. */
static void end_call(struct run *run, struct thread *thread, long long result, bool failed)
{
    const bool is_refused = thread->refusal != 0;
    if (!run->filter.has_started) {
        thread->is_in_call = false;
        return;
    }
    leave_call(&run->filter, thread);
    if (is_refused && !set_result(thread->tid, -thread->refusal) && errno != ESRCH)
        die(run, "refuse", errno, NULL);
    if (failed && !is_refused)
        note_limit(run, thread->tid, limit_reached(&run->plan, &thread->call, (int)-result));
    if (failed && run->plan.given[LIMITS_ONLY])
        note_failure(run, thread, result);
    if (is_refused || !failed || !is_restart(result))
        count_call(&run->filter.counts, &thread->call, thread->is_on_stream, result, failed || is_refused);
}

/* A signal, a stop or the end arrived while a conforming call was waiting: the kernel has counted the call, but it
 * has not returned. The kernel's count distinguishes a new interruption from one that was already reported. */
static void note_interruption(struct run *run, struct thread *thread)
{
    struct filter *filter = &run->filter;
    struct call call = {0};
    if (!filter->has_started || !read_interrupted_call(thread->tid, &call) || !is_conforming(&run->plan, &call))
        return;
    const struct io now = read_thread_io(filter, thread);
    if (now.reads + now.writes == thread->interrupted_at || now.reads + now.writes == 0)
        return;
    thread->interrupted_at = now.reads + now.writes;
    if (!filter->stops_all_calls)
        add_io(&filter->stopped_io, call.number == SYS_read ? &(struct io){.reads = 1} : &(struct io){.writes = 1});
}

/* ---- stops ---- */

static struct __ptrace_syscall_info get_syscall_info(struct run *run, pid_t tid)
{
    struct __ptrace_syscall_info info = {.op = PTRACE_SYSCALL_INFO_NONE};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) < 0 && errno != ESRCH)
        die(run, "ptrace_get_syscall_info", errno, NULL); /* Linux 5.3 and later have this request */
    return info; /* op is still NONE if the thread was killed meanwhile */
}

/* The filter has stopped a call. Its data is the errno if the guard refuses the call. */
static void on_seccomp_stop(struct run *run, struct thread *thread)
{
    const struct __ptrace_syscall_info info = get_syscall_info(run, thread->tid);
    if (info.op == PTRACE_SYSCALL_INFO_SECCOMP) {
        const struct call call = {info.seccomp.nr,
                                  {info.seccomp.args[0], info.seccomp.args[1], info.seccomp.args[2],
                                   info.seccomp.args[3], info.seccomp.args[MMAP_FD]}};
        begin_call(run, thread, &call, (int)info.seccomp.ret_data);
    }
}

/* A call returns. If all calls are stopped, this may also be the start of one; a stop by the filter may then follow,
 * and begins the call again. */
static void on_syscall_stop(struct run *run, struct thread *thread)
{
    const struct __ptrace_syscall_info info = get_syscall_info(run, thread->tid);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
        begin_call(run, thread,
                   &(struct call){info.entry.nr,
                                  {info.entry.args[0], info.entry.args[1], info.entry.args[2], info.entry.args[3],
                                   info.entry.args[MMAP_FD]}},
                   0);
    else if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread->is_in_call)
        end_call(run, thread, info.exit.rval, info.exit.is_error);
}

/* At the first execve the program begins, and so does its count. The call itself is the program's, as in strace. */
static void begin_program(struct run *run, struct thread *thread)
{
    struct filter *filter = &run->filter;
    if (run->plan.given[UID])
        set_file_ids(run, (uid_t)run->plan.number[UID], (gid_t)run->plan.number[GID]);
    if (fstat(STDIN_FILENO, &filter->input) != 0 || fstat(STDOUT_FILENO, &filter->output) != 0)
        die(run, "fstat", errno, NULL);
    filter->has_started = true;
    thread->io_fd = open_io(thread->tid);
    thread->io_at_start = read_thread_io(filter, thread);
    thread->io_at_call = thread->io_at_start;
}

static void note_program(struct filter *filter, pid_t pid)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "/proc/%d/exe", pid);
    if (stat(path, &filter->program) != 0)
        filter->program = (struct stat){0};
}

/* A thread that calls execve takes over the leading thread's number. All other threads have ended. */
static struct thread *on_exec_stop(struct run *run, struct thread *leader)
{
    struct filter *filter = &run->filter;
    unsigned long former = 0;
    struct thread *thread = leader;
    if (ptrace(PTRACE_GETEVENTMSG, leader->tid, NULL, &former) == 0 && (pid_t)former != leader->tid) {
        const pid_t tid = leader->tid;
        forget_thread(filter, leader);
        thread = find_thread(filter, (pid_t)former);
        if (thread == NULL)
            die(run, "threads", ESRCH, "an unknown thread calls execve");
        if (thread->io_fd >= 0)
            (void)close(thread->io_fd);
        thread->tid = tid;
        thread->io_fd = open_io(tid);
    }
    if (!filter->has_started)
        begin_program(run, thread);
    if (thread->tid == run->program_pid)
        note_program(filter, thread->tid);
    return thread;
}

/* The thread ends, and its numbers are final. A call that it is in will never return. */
static void on_exit_stop(struct run *run, struct thread *thread)
{
    struct filter *filter = &run->filter;
    if (!filter->has_started)
        return;
    note_blocked_signals(run, thread->tid);
    note_foreign_call(run, thread->tid);
    if (thread->is_in_call)
        leave_call(filter, thread);
    else
        note_interruption(run, thread);
    const struct io now = read_thread_io(filter, thread);
    const struct io own = io_difference(&now, &thread->io_at_start);
    add_io(&filter->total_io, &own);
    thread->has_ended = true;
}

static bool is_stop_signal(int number)
{
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* Handle one stop, of the kinds listed in ptrace(2), and let the thread go on. A new thread or child first has a stop
 * of its own, before it does anything. */
void on_tracee_stop(struct run *run, pid_t tid, int signal_and_event)
{
    struct filter *filter = &run->filter;
    struct thread *thread = find_thread(filter, tid);
    const int event = signal_and_event >> 8;
    const int number = signal_and_event & 0xff;
    int request = PTRACE_CONT;
    long delivered = 0;
    if (thread == NULL)
        thread = add_thread(run, tid);
    if (event == PTRACE_EVENT_SECCOMP) {
        on_seccomp_stop(run, thread);
    } else if (number == SYSTEM_CALL_STOP) {
        on_syscall_stop(run, thread);
    } else if (event == PTRACE_EVENT_EXEC) {
        thread = on_exec_stop(run, thread);
    } else if (event == PTRACE_EVENT_EXIT) {
        on_exit_stop(run, thread);
    } else if (event == PTRACE_EVENT_STOP) {
        note_interruption(run, thread);
        request = is_stop_signal(number) ? PTRACE_LISTEN : PTRACE_CONT;
    } else if (event == 0) {
        note_interruption(run, thread);
        note_signal(run, tid);
        delivered = number;
    }
    if (request == PTRACE_CONT && (thread->is_in_call || filter->stops_all_calls))
        request = PTRACE_SYSCALL;
    if (ptrace(request, tid, NULL, delivered) != 0 && errno != ESRCH)
        die(run, "ptrace", errno, NULL);
}

/* A thread is gone. Without a stop at its end we do not know its last numbers. */
void on_tracee_end(struct run *run, pid_t tid)
{
    struct thread *thread = find_thread(&run->filter, tid);
    if (thread == NULL)
        return;
    run->filter.is_exact &= thread->has_ended;
    forget_thread(&run->filter, thread);
}

/* ---- the sum ---- */

/* Count the calls that passed the filter in one direction, and return whether the count is exact.
 *
 * With one byte per call the kernel's count of bytes shows how many calls moved one. The other writes have failed.
 * The other reads have met the end of the input or failed; the two cannot be distinguished. With more bytes per call
 * a write may also be cut short, so the number of failed writes is not known. Without the option nothing passes. */
static bool count_passed_calls(struct run *run, bool reads, unsigned long long calls, unsigned long long bytes)
{
    const enum option option = reads ? READ_NBYTE : WRITE_NBYTE;
    const long long nbyte = run->plan.number[option];
    const unsigned long long max_bytes = calls * (unsigned long long)nbyte;
    if (!run->plan.given[option])
        return calls == 0 && bytes == 0;
    if (calls > LLONG_MAX || bytes > max_bytes) /* below zero or too many bytes: something contradicts our model */
        return false;
    count_conforming(&run->filter.counts, reads, nbyte, calls, bytes, !reads && nbyte == 1 ? calls - bytes : 0);
    return reads || nbyte == 1 || bytes == max_bytes;
}

/* The program's own process has ended. Threads and processes that are still here would have gone on. */
void finish_filter(struct run *run)
{
    struct filter *filter = &run->filter;
    const struct io passed = io_difference(&filter->total_io, &filter->stopped_io);
    for (size_t i = 0; i < filter->count; i++)
        filter->is_exact &= filter->threads[i].has_ended;
    run->has_accounting = filter->has_started && filter->is_exact;
    run->accounting = filter->total_io;
    if (!filter->has_started)
        return;
    const bool knows_reads = count_passed_calls(run, true, passed.reads, passed.read_bytes);
    const bool knows_writes = count_passed_calls(run, false, passed.writes, passed.written_bytes);
    filter->is_exact &= knows_reads && knows_writes;
}
