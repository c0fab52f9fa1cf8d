/* The command line: reading the options and checking that they fit together. */
#include "options.h"

#include "fault.h"
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    enum { NUMBER, SECONDS, WORD, PATH, NAME, FLAG } kind;
    long long min, max;
} option_table[OPTIONS] = {
    [REPORT_FD] = {"--report-fd", NUMBER, CHILD_SOCKET_FD, INT_MAX}, /* 0 to 2 belong to the program */
    [MODE] = {"--mode", WORD, 0, 0},
    [EXEC] = {"--exec", FLAG, 0, 0},
    [UID] = {"--uid", NUMBER, 1, UINT_MAX - 1LL}, /* not root; and -1 makes setresuid change nothing */
    [GID] = {"--gid", NUMBER, 1, UINT_MAX - 1LL},
    [CWD] = {"--cwd", PATH, 0, 0},
    [WALL_S] = {"--wall-s", SECONDS, 0, 1000000},
    [CPU_S] = {"--cpu-s", NUMBER, 1, 1000000},
    [MEMORY_BYTES] = {"--memory-bytes", NUMBER, 1, LLONG_MAX},
    [STACK_BYTES] = {"--stack-bytes", NUMBER, 1, LLONG_MAX},
    [OUTPUT_BYTES] = {"--output-bytes", NUMBER, 0, LLONG_MAX},
    [OPEN_FILES] = {"--open-files", NUMBER, CHILD_SOCKET_FD, INT_MAX},
    [PROCESSES] = {"--processes", NUMBER, 1, INT_MAX},
    [SPARE_PROCESSES] = {"--spare-processes", NUMBER, 1, INT_MAX},
    [THREADS_ONLY] = {"--threads-only", FLAG, 0, 0},
    [PIN_CPU] = {"--pin-cpu", NUMBER, 0, CPU_SETSIZE - 1},
    [READ_NBYTE] = {"--read-nbyte", NUMBER, 1, UINT_MAX},
    [WRITE_NBYTE] = {"--write-nbyte", NUMBER, 1, UINT_MAX},
    [MAX_STOPS] = {"--max-stops", NUMBER, 1, LLONG_MAX},
    [TRANSFERS_ONLY] = {"--transfers-only", FLAG, 0, 0},
    [LIMITS_ONLY] = {"--limits-only", FLAG, 0, 0},
    [NO_GUARD] = {"--no-guard", FLAG, 0, 0},
    [WRITABLE] = {"--writable", PATH, 0, 0},
    [ARGV0] = {"--argv0", NAME, 0, 0},
};
static const char *const mode_names[MODES] = {[PLAIN] = "plain", [ACCOUNT] = "account", [FILTER] = "filter"};

/* Accept digits with at most one point, and nothing else that strtod would accept. */
static bool parse_seconds(const char *value, long long max_s, long long *number)
{
    char *end = NULL;
    const double seconds = strtod(value, &end);
    if (strspn(value, "0123456789.") != strlen(value) || *end != '\0' || seconds > (double)max_s)
        return false;
    *number = (long long)(seconds * (double)SECOND_NS);
    return *number > 0;
}

static bool parse_value(struct plan *plan, enum option option, const char *value)
{
    long long *number = &plan->number[option];
    switch (option_table[option].kind) {
    case NUMBER:
        return parse_number(value, number) && *number >= option_table[option].min &&
               *number <= option_table[option].max;
    case SECONDS:
        return parse_seconds(value, option_table[option].max, number);
    case WORD:
        while (*number < MODES && strcmp(value, mode_names[*number]) != 0)
            ++*number;
        return *number < MODES;
    case PATH:
        *(option == CWD ? &plan->cwd : &plan->writable) = value;
        return *value != '\0';
    case NAME:
        return *value != '\0';
    case FLAG:
    default:
        return true;
    }
}

static void name_program(struct plan *plan, char **program)
{
    plan->path = program[0];
    plan->program = program;
    if (plan->path != NULL && plan->given[ARGV0])
        program[0] = plan->argv0;
}

static _Noreturn void reject(struct run *run, const char *option, const char *why)
{
    struct text text = {0};
    append(&text, "%s%s", option, why);
    die(run, "options", EINVAL, text.bytes);
}

static void check_combinations(struct run *run)
{
    const bool *given = run->plan.given;
    if (run->plan.path == NULL)
        reject(run, "--", " is without a PROGRAM after it");
    if (given[UID] != given[GID])
        reject(run, "--uid, --gid", ": both or neither");
    if (given[EXEC] && (given[REPORT_FD] || given[MODE] || given[WALL_S]))
        reject(run, "--exec", " leaves nobody for --report-fd, --mode and --wall-s");
    if (given[SPARE_PROCESSES] && (given[PROCESSES] || given[UID] || given[EXEC]))
        reject(run, "--spare-processes", " is for tally's own uid: not with --processes, --uid, --exec");
    if ((given[READ_NBYTE] || given[WRITE_NBYTE]) &&
        (given[EXEC] || given[NO_GUARD] || run->plan.number[MODE] == PLAIN))
        reject(run, "--read-nbyte, --write-nbyte", ": only with --mode filter or account, and a guard");
    if (run->plan.number[MODE] == ACCOUNT && given[READ_NBYTE] != given[WRITE_NBYTE])
        reject(run, "--read-nbyte, --write-nbyte", ": both or neither with --mode account");
    if (run->plan.number[MODE] == PLAIN && given[MAX_STOPS])
        reject(run, "--max-stops", ": only with --mode filter or account");
    if (run->plan.number[MODE] != FILTER && (given[TRANSFERS_ONLY] || given[LIMITS_ONLY]))
        reject(run, "--transfers-only, --limits-only", ": only with --mode filter");
    if (given[LIMITS_ONLY] && given[TRANSFERS_ONLY])
        reject(run, "--limits-only", ": not with --transfers-only");
    if (run->plan.number[MODE] == FILTER && given[NO_GUARD])
        reject(run, "--no-guard", ": mode filter has its guard within its filter");
    if (!given[EXEC] && !(given[REPORT_FD] && given[MODE]))
        reject(run, "--report-fd, --mode", ": both are needed, or --exec");
}

/* An unknown option is not repeated in the message, because it may contain any byte. */
void read_options(struct run *run, char **next)
{
    struct plan *plan = &run->plan;
    for (; *next != NULL && strcmp(*next, "--") != 0; next++) {
        enum option option = 0;
        while (option < OPTIONS && strcmp(*next, option_table[option].name) != 0)
            option++;
        if (option == OPTIONS)
            reject(run, "no such option", "; PROGRAM comes after --");
        if (plan->given[option])
            reject(run, option_table[option].name, " is given twice");
        plan->given[option] = true;
        if (option_table[option].kind != FLAG && (*++next == NULL || !parse_value(plan, option, *next)))
            reject(run, option_table[option].name, " has no value, or a wrong one");
        if (option == ARGV0)
            plan->argv0 = *next;
    }
    if (*next == NULL)
        reject(run, "--", " is missing, and PROGRAM after it");
    name_program(plan, next + 1);
    check_combinations(run);
}

static const char OPTIONS_FD[] = "--options-fd";

/* `tally --options-fd N` reads its arguments from a file, in which a NUL byte ends each of them: a program can read its
 * parent's command line, but not this. The file is closed, and stays in our memory to the end. */
char **read_arguments(struct run *run, char **arguments)
{
    long long fd = 0;
    struct stat file;
    if (arguments[0] == NULL || strcmp(arguments[0], OPTIONS_FD) != 0)
        return arguments;
    if (arguments[1] == NULL || arguments[2] != NULL || !parse_number(arguments[1], &fd) || fd < CHILD_SOCKET_FD ||
        fd > INT_MAX || fstat((int)fd, &file) != 0 || file.st_size <= 0)
        die(run, "options", EINVAL, "--options-fd stands alone, with the descriptor of a file");
    const size_t size = (size_t)file.st_size;
    char *text = malloc(size);
    char **found = calloc(size + 1, sizeof *found); /* no more arguments than bytes */
    if (text == NULL || found == NULL || pread((int)fd, text, size, 0) != (ssize_t)size || text[size - 1] != '\0')
        die(run, "options", EIO, "the file of --options-fd cannot be read");
    (void)close((int)fd);
    size_t count = 0;
    for (const char *next = text; next < text + size; next += strlen(next) + 1)
        found[count++] = text + (next - text);
    return found;
}

/* This comes before everything else, so that a wrong option can be reported there. FD_CLOEXEC closes the descriptor
 * at execve; the child closes it before that. */
void find_report_fd(struct run *run, char **next)
{
    long long fd = 0;
    while (*next != NULL && strcmp(*next, "--") != 0 && strcmp(*next, option_table[REPORT_FD].name) != 0)
        next++;
    if (*next == NULL || strcmp(*next, "--") == 0 || next[1] == NULL || !parse_number(next[1], &fd) ||
        fd < option_table[REPORT_FD].min || fd > option_table[REPORT_FD].max)
        return;
    const int flags = fcntl((int)fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0)
        die(run, "report_fd", EBADF, "the report's descriptor is not open for writing");
    run->report_fd = (int)fd;
}
