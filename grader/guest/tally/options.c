/* Options. */
#include "options.h"

#include "fault.h"
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum { WHOLE, SECONDS, WORD, PATH, FLAG } kind;
    long long least, most;
} rules[OPTIONS] = {
    [REPORT_FD] = {"--report-fd", WHOLE, CHANNEL_FD, INT_MAX}, /* 0 to 2 are the program's */
    [MODE] = {"--mode", WORD, 0, 0},
    [EXEC] = {"--exec", FLAG, 0, 0},
    [UID] = {"--uid", WHOLE, 1, UINT_MAX - 1LL}, /* not root; and -1 tells setresuid to change nothing */
    [GID] = {"--gid", WHOLE, 1, UINT_MAX - 1LL},
    [CWD] = {"--cwd", PATH, 0, 0},
    [WALL_S] = {"--wall-s", SECONDS, 0, 1000000},
    [CPU_S] = {"--cpu-s", WHOLE, 1, 1000000},
    [MEMORY_BYTES] = {"--memory-bytes", WHOLE, 1, LLONG_MAX},
    [STACK_BYTES] = {"--stack-bytes", WHOLE, 1, LLONG_MAX},
    [OUTPUT_BYTES] = {"--output-bytes", WHOLE, 0, LLONG_MAX},
    [OPEN_FILES] = {"--open-files", WHOLE, CHANNEL_FD, INT_MAX},
    [PROCESSES] = {"--processes", WHOLE, 1, INT_MAX},
    [SPARE_PROCESSES] = {"--spare-processes", WHOLE, 1, INT_MAX},
    [PIN_CPU] = {"--pin-cpu", WHOLE, 0, CPU_SETSIZE - 1},
    [READ_NBYTE] = {"--read-nbyte", WHOLE, 1, UINT_MAX},
    [WRITE_NBYTE] = {"--write-nbyte", WHOLE, 1, UINT_MAX},
    [NO_GUARD] = {"--no-guard", FLAG, 0, 0},
};
static const char *const mode_names[MODES] = {[PLAIN] = "plain", [ACCOUNT] = "account", [FILTER] = "filter"};

/* Digits with at most one point, and nothing else that strtod would take. */
static bool to_nanoseconds(const char *value, long long most_s, long long *number)
{
    char *end = NULL;
    const double seconds = strtod(value, &end);
    if (strspn(value, "0123456789.") != strlen(value) || *end != '\0' || seconds > (double)most_s)
        return false;
    *number = (long long)(seconds * (double)SECOND_NS);
    return *number > 0;
}

static bool take_value(struct plan *plan, enum option option, const char *value)
{
    long long *number = &plan->number[option];
    switch (rules[option].kind) {
    case WHOLE:
        return to_whole(value, number) && *number >= rules[option].least && *number <= rules[option].most;
    case SECONDS:
        return to_nanoseconds(value, rules[option].most, number);
    case WORD:
        while (*number < MODES && strcmp(value, mode_names[*number]) != 0)
            ++*number;
        return *number < MODES;
    case PATH:
        plan->cwd = value;
        return *value != '\0';
    case FLAG:
    default:
        return true;
    }
}

static _Noreturn void refuse(struct run *run, const char *option, const char *why)
{
    struct text text = {0};
    append(&text, "%s%s", option, why);
    die(run, "options", EINVAL, text.bytes);
}

/* What options mean for each other. */
static void check_plan(struct run *run)
{
    const bool *given = run->plan.given;
    if (run->plan.program[0] == NULL)
        refuse(run, "--", " is without a PROGRAM after it");
    if (given[UID] != given[GID])
        refuse(run, "--uid, --gid", ": both or neither");
    if (given[EXEC] && (given[REPORT_FD] || given[MODE] || given[WALL_S]))
        refuse(run, "--exec", " leaves nobody for --report-fd, --mode and --wall-s");
    if (given[SPARE_PROCESSES] && (given[PROCESSES] || given[UID] || given[EXEC]))
        refuse(run, "--spare-processes", " is for tally's own uid: not with --processes, --uid, --exec");
    if (run->plan.number[MODE] != FILTER && (given[READ_NBYTE] || given[WRITE_NBYTE]))
        refuse(run, "--read-nbyte, --write-nbyte", ": only with --mode filter");
    if (run->plan.number[MODE] == FILTER && given[NO_GUARD])
        refuse(run, "--no-guard", ": mode filter has its guard within its filter");
    if (!given[EXEC] && !(given[REPORT_FD] && given[MODE]))
        refuse(run, "--report-fd, --mode", ": both are needed, or --exec");
}

/* An unknown option is not repeated in the message, as it may hold any byte. */
void read_options(struct run *run, char **next)
{
    struct plan *plan = &run->plan;
    for (; *next != NULL && strcmp(*next, "--") != 0; next++) {
        enum option option = 0;
        while (option < OPTIONS && strcmp(*next, rules[option].name) != 0)
            option++;
        if (option == OPTIONS)
            refuse(run, "no such option", "; PROGRAM comes after --");
        if (plan->given[option])
            refuse(run, rules[option].name, " is given twice");
        plan->given[option] = true;
        if (rules[option].kind != FLAG && (*++next == NULL || !take_value(plan, option, *next)))
            refuse(run, rules[option].name, " has no value, or a wrong one");
    }
    if (*next == NULL)
        refuse(run, "--", " is missing, and PROGRAM after it");
    plan->program = next + 1;
    check_plan(run);
}

/* Before all else, so that a wrong option can be reported there. execve will close it; the child closes it before. */
void find_report(struct run *run, char **next)
{
    long long fd = 0;
    while (*next != NULL && strcmp(*next, "--") != 0 && strcmp(*next, rules[REPORT_FD].name) != 0)
        next++;
    if (*next == NULL || strcmp(*next, "--") == 0 || next[1] == NULL || !to_whole(next[1], &fd) ||
        fd < rules[REPORT_FD].least || fd > rules[REPORT_FD].most)
        return;
    const int flags = fcntl((int)fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0)
        die(run, "report_fd", EBADF, "the report's descriptor is not open for writing");
    run->report_fd = (int)fd;
}
