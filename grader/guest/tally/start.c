/* Starting the killer and the program. */
#include "start.h"

#include "account.h"
#include "child.h"
#include "fault.h"
#include "inputs.h"
#include "killer.h"
#include "opens.h"
#include "parent.h"
#include "processes.h"
#include "strays.h"
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

static void start_killer(struct run *run)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        die(run, "pipe2", errno, NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[1]);
        run_killer(&run->plan, ends[0]);
    }
    if (pid < 0)
        die(run, "fork", errno, NULL);
    (void)close(ends[0]);
    run->killer_pid = pid;
    run->killer_pipe = ends[1];
}

/* Every signal is blocked and fetched where we wait: there are no handlers, and a closed report pipe does not kill
 * us. If our parent ignored SIGCHLD, the kernel would reap children before we see how they ended. */
void prepare(struct run *run)
{
    sigset_t all;
    /* First, so that the ends of the processes that it tries are not mistaken for others later. */
    limit_processes(run);
    if (signal(SIGCHLD, SIG_DFL) == SIG_ERR || sigfillset(&all) != 0 || sigprocmask(SIG_SETMASK, &all, NULL) != 0)
        die(run, "signals", errno, NULL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        die(run, "subreaper", errno, NULL);
    /* Here we are the tracer, which must be on the program's CPU. */
    if (run->plan.number[MODE] == FILTER && pin_cpu(&run->plan) != 0)
        die(run, "sched_setaffinity", errno, NULL);
    watch_parent(run);
    open_accounting(run);
    watch_opens(run);
    find_inputs(run);
    run->has_children = true;
    if (run->plan.given[UID])
        start_killer(run);
}

/* The child waits for one byte. At the end of file tally is gone. */
static void wait_for_tally(void)
{
    char go = 0;
    if (recv(CHILD_SOCKET_FD, &go, sizeof go, 0) != sizeof go)
        _exit(FAULT_STATUS);
}

/* If the message does not arrive, tally is gone. */
static void send_message(struct child_message message)
{
    (void)send(CHILD_SOCKET_FD, &message, sizeof message, MSG_NOSIGNAL);
}

static void run_steps_or_report(const struct plan *plan, int first, int end)
{
    const int step = run_steps(plan, first, end);
    if (step < end) {
        send_message((struct child_message){STEP_FAILED, step, errno});
        _exit(FAULT_STATUS);
    }
}

static _Noreturn void run_child(const struct plan *plan, int child_end)
{
    if (child_end != CHILD_SOCKET_FD && dup3(child_end, CHILD_SOCKET_FD, O_CLOEXEC) < 0)
        _exit(FAULT_STATUS);
    wait_for_tally(); /* tally attaches to us while we still have its uid */
    run_steps_or_report(plan, 0, BEFORE_START);
    send_message((struct child_message){.kind = READY});
    wait_for_tally(); /* tally starts the clock, and from now on handles our stops */
    run_steps_or_report(plan, BEFORE_START, STEPS);
    (void)execv(plan->path, plan->program);
    send_message((struct child_message){EXEC_FAILED, 0, errno});
    _exit(FAULT_STATUS);
}

static void fork_program(struct run *run)
{
    const struct timeval timeout = {.tv_sec = TIMEOUT_NS / SECOND_NS};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) != 0)
        die(run, "socketpair", errno, NULL);
    run->plan.parent = getpid();
    run->plan.first_closed_fd = CHILD_SOCKET_FD + 1;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        run_child(&run->plan, ends[1]);
    }
    if (pid < 0)
        die(run, "fork", errno, NULL);
    (void)close(ends[1]);
    run->program_pid = pid;
    run->child_socket = ends[0];
}

/* Let the child go on. If the child is gone, the wait for it will show that. */
static void release_child(const struct run *run)
{
    (void)send(run->child_socket, "", 1, MSG_NOSIGNAL);
}

/* Mode `plain` traces nothing. EXITKILL: if we are killed, the tracees are killed too. */
static const long trace_options[MODES] = {
    [ACCOUNT] = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC,
    [FILTER] = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD |
               PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXIT,
};

/* Fork the child and bring it to just before execve. PTRACE_SEIZE instead of PTRACE_TRACEME, because it needs no stop
 * and sets the kill on our exit from the first moment. Once we are undumpable, no process with our own uid can look
 * into us, where the report's descriptor is; without --uid the program is such a process. (It can still kill us. Then
 * there is no report, and no harm.) */
void start_program(struct run *run)
{
    struct child_message message = {0};
    fork_program(run);
    if (trace_options[run->plan.number[MODE]] != 0 &&
        ptrace(PTRACE_SEIZE, run->program_pid, NULL, trace_options[run->plan.number[MODE]]) != 0)
        die(run, "ptrace", errno, NULL);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        die(run, "dumpable", errno, NULL);
    release_child(run);
    if (recv(run->child_socket, &message, sizeof message, 0) != sizeof message)
        die(run, "child", ECHILD, "the child ended or hung before the program was started");
    if (message.kind == STEP_FAILED)
        die(run, step_name(message.step), message.error, step_trouble(&run->plan, message.step));
    run->start_ns = now_ns();
    run->deadline_ns = run->plan.given[WALL_S] ? run->start_ns + run->plan.number[WALL_S] : LLONG_MAX;
    release_child(run);
    if (run->plan.number[MODE] == ACCOUNT && !run->plan.given[NO_GUARD])
        receive_strays(run);
}

_Noreturn void exec_in_place(struct run *run)
{
    run->plan.parent = run->parent;
    run->plan.first_closed_fd = CHILD_SOCKET_FD;
    const int step = run_steps(&run->plan, 0, STEPS);
    if (step < STEPS)
        die(run, step_name(step), errno, step_trouble(&run->plan, step));
    (void)execv(run->plan.path, run->plan.program);
    die(run, "execve", errno, NULL);
}
