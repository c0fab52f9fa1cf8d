/* The report of a run that has no fault. */
#include "report.h"

#include "calls.h"
#include "fault.h"
#include "opens.h"
#include "tools.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* True if execve failed because of the program's file or its limits. Every other reason is our fault: no process or
 * descriptor left, operands that are too long, a file that is still open for writing, a broken disk. */
static bool is_caused_by_program(int error)
{
    static const int errors[] = {
        ENOENT, EACCES, ENOEXEC, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, ELIBBAD, EINVAL, ENOMEM,
    };
    for (size_t i = 0; i < LENGTH(errors); i++)
        if (errors[i] == error)
            return true;
    return false;
}

static double to_seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* The kernel enforces the limit with time sampled at clock ticks, but reports time that the scheduler measured. On a
 * busy machine they differ: programs were charged their first second after 0.78 s. Below half the limit the signal
 * came from somewhere else. Above it a SIGKILL may have too, if the machine ran out of memory just then. */
static bool hit_cpu_limit(const struct run *run, int number)
{
    const double used_s = to_seconds(&run->usage.ru_utime) + to_seconds(&run->usage.ru_stime);
    const double limit_s = (double)run->plan.number[CPU_S] + (number == SIGKILL ? 1 : 0);
    const bool is_told = number == SIGXCPU && !run->has_own_time_limit;
    return run->plan.given[CPU_S] && (is_told || number == SIGKILL) && used_s >= limit_s / 2;
}

/* Return the limit that ended the program, or NULL. */
static const char *limit_of(const struct run *run)
{
    const int number = WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
    if (run->hit_wall)
        return "wall";
    if (run->hit_stops)
        return "stops";
    if (hit_cpu_limit(run, number))
        return "cpu";
    return number == SIGXFSZ && run->plan.given[OUTPUT_BYTES] && !run->has_own_size_limit ? "output" : NULL;
}

static void append_ending(struct text *text, const struct run *run)
{
    const int number = WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
    const int error = run->exec_error;
    const char *limit = limit_of(run);
    if (error != 0)
        append(text, "{\"kind\":\"not_started\",\"errno\":%d,\"message\":\"%s\"}", error, strerror(error));
    else if (limit != NULL)
        append(text, "{\"kind\":\"limit\",\"limit\":\"%s\"}", limit);
    else if (number != 0)
        append(text, "{\"kind\":\"signalled\",\"signal\":%d}", number);
    else
        append(text, "{\"kind\":\"exited\",\"code\":%d}", WEXITSTATUS(run->status));
}

static void append_accounting(struct text *text, const struct run *run)
{
    const struct io *io = &run->accounting;
    if (run->has_accounting)
        append(text, "{\"reads\":%llu,\"writes\":%llu,\"read_bytes\":%llu,\"written_bytes\":%llu}", io->reads,
               io->writes, io->read_bytes, io->written_bytes);
    else
        append(text, "null");
}

/* A limit that ended the program is its ending, and no reason for what it did before. */
static void forget_ending(struct run *run)
{
    const char *limit = limit_of(run);
    bool *is_reached = run->filter.counts.is_reached;
    if (limit == NULL)
        return;
    is_reached[FILE_SIZE] &= strcmp(limit, "output") != 0;
    is_reached[CPU_TIME] &= strcmp(limit, "cpu") != 0;
}

/* The trace is incomplete after a limit, which cut the run short, or if something could not be counted. */
static void append_trace(struct text *text, const struct run *run)
{
    const bool hit_limit = limit_of(run) != NULL;
    if (!run->filter.has_started) {
        append(text, "null");
        return;
    }
    append(text, "{\"complete\":%s,\"calls\":", run->filter.is_exact && !hit_limit ? "true" : "false");
    append_calls(text, &run->filter.counts);
    append_streams(text, &run->filter.counts);
    append(text, ",\"strays\":");
    append_strays(text, &run->filter.counts);
    append_restrictions(text, &run->filter.counts);
    append(text, ",\"input_mappings\":%llu,\"transfers_only\":%s}", run->filter.counts.input_mappings,
           run->plan.given[TRANSFERS_ONLY] ? "true" : "false");
}

static double to_s(const struct timeval *time, long long orphans_us)
{
    return to_seconds(time) + (double)orphans_us / 1e6;
}

/* Times are those of the program and of all its children, peak memory of those it waited for. The CPU times include the
 * fraction of a millisecond in which our child ran its steps. The peak is never below that child's, about 0.4 MB. */
void report(struct run *run)
{
    struct text text = {0};
    if (run->exec_error != 0 && !is_caused_by_program(run->exec_error))
        die(run, "execve", run->exec_error, NULL);
    append(&text, "{\"tally\":1,\"ending\":");
    append_ending(&text, run);
    if (run->waited_s < 0)
        append(&text, ",\"waited_s\":null");
    else
        append(&text, ",\"waited_s\":%.6f", run->waited_s);
    append(&text, ",\"wall_s\":%.9f,\"user_s\":%.6f,\"sys_s\":%.6f,\"peak_memory_bytes\":%lld,\"accounting\":",
           (double)(run->end_ns - run->start_ns) / (double)SECOND_NS, to_s(&run->usage.ru_utime, run->orphans.user_us),
           to_s(&run->usage.ru_stime, run->orphans.system_us), run->usage.ru_maxrss * 1024LL);
    append_accounting(&text, run);
    append(&text, ",\"trace\":");
    forget_ending(run);
    append_trace(&text, run);
    append_opens(&text, run);
    append(&text, ",\"left_processes\":%lld", run->left_processes);
    append(&text, ",\"strays\":");
    if (run->strays_fd < 0)
        append(&text, "null");
    else
        append_strays(&text, &run->filter.counts);
    append(&text, "}\n");
    if (!write_all(run->report_fd, &text)) {
        run->report_fd = -1;
        die(run, "report_fd", errno, NULL);
    }
}
