/* Watching the program from its start to its end. */
#include "watch.h"

#include "account.h"
#include "child.h"
#include "fault.h"
#include "filter.h"
#include "own_limits.h"
#include "parent.h"
#include "strays.h"
#include "sweep.h"
#include "tools.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

/* A signal that asks us to end, from our starter or because it has ended: this run has no result. */
static void on_signal(struct run *run, int number)
{
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    struct text text = {0};
    for (size_t i = 0; i < LENGTH(ending); i++)
        if (number == ending[i]) {
            append(&text, "tally was told to end by signal %d", number);
            die(run, "signal", EINTR, text.bytes);
        }
    if (number == TOO_MANY_STRAYS && has_too_many_strays(run)) {
        run->hit_stops = true;
        (void)kill(run->program_pid, SIGKILL);
    }
    if (number == PARENT_DIED) /* perhaps only the parent's thread that started us has ended */
        watch_parent(run);
}

static void wait_for_signal(struct run *run, long long timeout_ns)
{
    static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, PARENT_DIED, TOO_MANY_STRAYS};
    const struct timespec timeout = {.tv_sec = timeout_ns / SECOND_NS, .tv_nsec = timeout_ns % SECOND_NS};
    sigset_t awaited;
    (void)sigemptyset(&awaited);
    for (size_t i = 0; i < LENGTH(numbers); i++)
        (void)sigaddset(&awaited, numbers[i]);
    on_signal(run, sigtimedwait(&awaited, NULL, &timeout));
}

/* A tracee has stopped: either the program at its first execve, where we read and detach, or our child before that
 * because of a signal, which is then delivered. ESRCH: it was killed meanwhile. Mode `filter` stays attached, and has
 * its own stops. */
static void on_stop(struct run *run, pid_t pid, int status)
{
    const int event = status >> 16;
    if (run->plan.number[MODE] == FILTER) {
        on_tracee_stop(run, pid, status >> 8);
        return;
    }
    long done = 0;
    if (event == PTRACE_EVENT_EXEC) {
        start_accounting(run);
        done = ptrace(PTRACE_DETACH, pid, NULL, NULL);
    } else {
        done = ptrace(PTRACE_CONT, pid, NULL, event != 0 ? 0L : (long)WSTOPSIG(status));
    }
    if (done != 0 && errno != ESRCH)
        die(run, "ptrace", errno, NULL);
}

/* Handle one child that ended or stopped. The program's own end is only noticed here: `collect_result` reaps it. */
static enum { NO_CHANGE, ONE_CHANGE, PROGRAM_ENDED } on_child(struct run *run)
{
    siginfo_t child = {0};
    int status = 0;
    if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) != 0)
        die(run, "waitid", errno, NULL);
    if (child.si_pid == 0)
        return NO_CHANGE;
    if (child.si_pid == run->program_pid && child.si_code != CLD_TRAPPED)
        return PROGRAM_ENDED;
    if (waitpid(child.si_pid, &status, WNOHANG) == child.si_pid && WIFSTOPPED(status))
        on_stop(run, child.si_pid, status);
    else
        on_tracee_end(run, child.si_pid);
    if (child.si_pid == run->killer_pid)
        run->killer_pid = 0; /* we do not know why; the sweep does not need it */
    return ONE_CHANGE;
}

enum { TICK_NS = 250000000, PAUSE_NS = 500000000 };

/* Return the time, and leave out of the program's time what has passed since `before_ns` beyond the wait that we asked
 * for, if it is much: then we did not run (a container that is paused, a machine that stands still), and nothing else
 * here did. Only our own clock counts, not the program's state, which it can choose. The program cannot keep us from
 * running for so long: it may not stop us, and a wait for a CPU behind all its processes is shorter. */
static long long leave_out_pause(struct run *run, long long before_ns, long long asked_ns)
{
    const long long time_ns = now_ns();
    const long long pause_ns = time_ns - before_ns - asked_ns;
    if (pause_ns > PAUSE_NS) {
        run->start_ns += pause_ns;
        run->deadline_ns += run->deadline_ns < LLONG_MAX - pause_ns ? pause_ns : 0;
    }
    return time_ns;
}

/* Wait until the program's own process has ended, by itself or at the wall limit. The clock is checked after each
 * orphan, because a program can leave more of them than we can reap, and at each tick, because of pauses. */
void watch(struct run *run)
{
    long long time_ns = run->start_ns;
    long long asked_ns = 0;
    for (int change = ONE_CHANGE; change != PROGRAM_ENDED;) {
        change = on_child(run);
        time_ns = leave_out_pause(run, time_ns, asked_ns);
        const long long left_ns = run->deadline_ns - time_ns;
        asked_ns = 0;
        if (change == PROGRAM_ENDED)
            continue;
        if (left_ns > 0) {
            if (change == NO_CHANGE)
                asked_ns = left_ns < TICK_NS ? left_ns : TICK_NS;
            wait_for_signal(run, asked_ns);
            continue;
        }
        if (run->hit_wall)
            die(run, "kill", ETIMEDOUT, "the program does not end");
        run->hit_wall = true;
        read_waiting_times(run);
        time_ns = now_ns();
        run->deadline_ns = time_ns + TIMEOUT_NS;
        (void)kill(run->program_pid, SIGKILL);
    }
    run->end_ns = time_ns;
}

/* First do the most important part of the sweep, while the program's number cannot belong to another process. Then
 * read what the program's end shows. */
void collect_result(struct run *run)
{
    struct child_message message = {0};
    on_tracee_end(run, run->program_pid);
    (void)kill(-run->program_pid, SIGKILL);
    read_waiting_time(run, run->program_pid);
    run->has_own_size_limit = is_lowered(&run->plan, run->program_pid, FILE_SIZE);
    run->has_own_time_limit = is_lowered(&run->plan, run->program_pid, CPU_TIME);
    reap_program(run);
    if (run->plan.number[MODE] == FILTER)
        finish_filter(run);
    if (recv(run->child_socket, &message, sizeof message, MSG_DONTWAIT) != sizeof message)
        return;
    if (message.kind == STEP_FAILED)
        die(run, step_name(message.step), message.error, NULL);
    run->exec_error = message.error;
}
