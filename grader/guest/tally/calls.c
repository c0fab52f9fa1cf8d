/* Counting calls by number, and reads and writes by stream, with the names and rules of strace. A call counts when it
 * returns, so exit_group never does. The nbyte of readv and similar calls is in memory, so their result takes its
 * place. */
#include "calls.h"

#include "tools.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* One macro per name keeps number and name together on every architecture. */
#define N(name) [SYS_##name] = #name,
static const char *const names[CALL_NUMBERS] = {
#include "call_names.h"
};
#undef N

/* Unknown numbers get the names that strace gives them. All numbers beyond the table share one name. */
static void append_name(struct text *text, size_t number)
{
    if (number == CALL_NUMBERS)
        append(text, "syscall_unknown");
    else if (names[number] == NULL)
        append(text, "syscall_0x%zx", number);
    else
        append(text, "%s", names[number]);
}

static enum { NEITHER, READS, WRITES } direction_of(unsigned long long number)
{
    switch (number) {
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
        return READS;
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
        return WRITES;
    default:
        return NEITHER;
    }
}

static void widen_nbyte_range(struct stream *stream, long long nbyte)
{
    if (stream->calls == 0 || nbyte < stream->nbyte_min)
        stream->nbyte_min = nbyte;
    if (stream->calls == 0 || nbyte > stream->nbyte_max)
        stream->nbyte_max = nbyte;
}

static bool is_mapping(const struct call *call)
{
    return call->number == SYS_mmap && (call->arguments[MMAP_FLAGS] & MAP_ANONYMOUS) == 0;
}

/* Return whether a call gets bytes from a file: it reads the file or maps it. */
bool takes_input(const struct call *call)
{
    return direction_of(call->number) == READS || is_mapping(call);
}

bool gives_output(const struct call *call)
{
    return direction_of(call->number) == WRITES;
}

int descriptor_of(const struct call *call)
{
    return (int)call->arguments[call->number == SYS_mmap ? MMAP_FD : 0];
}

static struct stream *stream_of(struct counts *counts, bool reads, bool is_standard)
{
    if (reads)
        return &counts->streams[is_standard ? STDIN : OTHER_READS];
    return &counts->streams[is_standard ? STDOUT : OTHER_WRITES];
}

/* A number that no descriptor may have fails with the errno of a closed one, or of a wrong operand. */
static bool is_number_too_high(const struct plan *plan, const struct call *call)
{
    unsigned long long number = 0;
    switch (call->number) {
#ifdef SYS_dup2
    case SYS_dup2:
#endif
    case SYS_dup3:
        number = call->arguments[1];
        break;
    case SYS_fcntl:
        number = call->arguments[2];
        break;
    default:
        return false;
    }
    return plan->given[OPEN_FILES] && number >= (unsigned long long)plan->number[OPEN_FILES] &&
           number < MOST_FILES_OR_PROCESSES;
}

/* Return the limit because of which a call failed. What writes beyond the largest size of a file gets a signal first:
 * see `limit_told_by`. */
enum limit limit_reached(const struct plan *plan, const struct call *call, int error)
{
    switch (call->number) {
    case SYS_clone:
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
#endif
        if (error == EAGAIN)
            return CHILDREN;
        break;
    case SYS_mlock:
    case SYS_mlock2:
    case SYS_mlockall:
        return error == ENOMEM ? LOCKED_MEMORY : NO_LIMIT;
    case SYS_mmap:
    case SYS_mremap:
        if (error == EAGAIN)
            return LOCKED_MEMORY;
        break;
    default:
        break;
    }
    if (error == ENOMEM)
        return MEMORY;
    if (error == EMFILE || ((error == EBADF || error == EINVAL) && is_number_too_high(plan, call)))
        return DESCRIPTORS;
    return NO_LIMIT;
}

/* Return the limit of which the kernel tells a program by a signal. A program that has a handler, or ignores it, goes
 * on: with EFBIG, or until its CPU time is used up for good. The kernel sends SIGXFSZ in the program's own name. */
enum limit limit_told_by(const struct plan *plan, const siginfo_t *signal)
{
    if (signal->si_signo == SIGXFSZ && signal->si_code == SI_USER && plan->given[OUTPUT_BYTES])
        return FILE_SIZE;
    if (signal->si_signo == SIGXCPU && signal->si_code == SI_KERNEL && plan->given[CPU_S])
        return CPU_TIME;
    return NO_LIMIT;
}

void count_call(struct counts *counts, const struct call *call, bool is_on_stream, long long result, bool failed)
{
    struct call_count *count = &counts->calls[call->number < CALL_NUMBERS ? call->number : CALL_NUMBERS];
    const int direction = (int)direction_of(call->number);
    count->calls++;
    count->errors += failed;
    counts->input_mappings += !failed && is_on_stream && is_mapping(call);
    if (direction == NEITHER)
        return;
    struct stream *stream = stream_of(counts, direction == READS, is_on_stream);
    const bool is_plain = call->number == SYS_read || call->number == SYS_write;
    const long long returned = failed ? -1 : result;
    widen_nbyte_range(stream, is_plain ? (long long)call->arguments[2] : returned);
    stream->calls++;
    stream->bytes += failed ? 0 : (unsigned long long)result;
}

/* Count many calls at once that were not stopped, all with the same nbyte. */
void count_conforming(struct counts *counts, bool reads, long long nbyte, unsigned long long calls,
                      unsigned long long bytes, unsigned long long errors)
{
    struct call_count *count = &counts->calls[reads ? SYS_read : SYS_write];
    struct stream *stream = stream_of(counts, reads, true);
    if (calls == 0)
        return;
    count->calls += calls;
    count->errors += errors;
    widen_nbyte_range(stream, nbyte);
    stream->calls += calls;
    stream->bytes += bytes;
}

void append_calls(struct text *text, const struct counts *counts)
{
    const char *comma = "";
    append(text, "{");
    for (size_t number = 0; number <= CALL_NUMBERS; number++) {
        const struct call_count *count = &counts->calls[number];
        if (count->calls == 0)
            continue;
        append(text, "%s\"", comma);
        append_name(text, number);
        append(text, "\":{\"calls\":%llu,\"errors\":%llu}", count->calls, count->errors);
        comma = ",";
    }
    append(text, "}");
}

/* Append the names of the calls, each with what else there is to say, and return what comes before the next one. */
static const char *append_names(struct text *text, const char *comma, const bool *is_named, const char *more)
{
    for (size_t number = 0; number <= CALL_NUMBERS; number++) {
        if (!__atomic_load_n(&is_named[number], __ATOMIC_ACQUIRE)) /* strays.c has a thread */
            continue;
        append(text, "%s\"", comma);
        append_name(text, number);
        append(text, "%s\"", more);
        comma = ",";
    }
    return comma;
}

void append_strays(struct text *text, const struct counts *counts)
{
    append(text, "[");
    (void)append_names(text, "", counts->is_stray, "");
    append(text, "]");
}

/* Note that the guard refused a call, or `what` of it. */
void note_refused_call(struct counts *counts, const struct call *call, const char *what)
{
    struct part *parts = counts->refused_parts;
    if (what == NULL) {
        counts->is_refused[GUARDED_CALL][call->number] = true;
        return;
    }
    for (size_t i = 0; i < counts->refused_part_count; i++)
        if (parts[i].number == call->number && strcmp(parts[i].what, what) == 0)
            return;
    if (counts->refused_part_count < MOST_PARTS)
        parts[counts->refused_part_count++] = (struct part){call->number, what};
}

/* What was refused, and the limits that the program reached. */
void append_restrictions(struct text *text, const struct counts *counts)
{
    static const char *const limits[LIMITS] = {
        [MEMORY] = "memory",       [CHILDREN] = "processes", [DESCRIPTORS] = "open_files",
        [FILE_SIZE] = "file_size", [CPU_TIME] = "cpu_time",  [LOCKED_MEMORY] = "locked_memory"};
    static const char *const refusals[REFUSALS] = {
        [GUARDED_CALL] = "", [OUTSIDE] = " outside", [LISTED] = " listed",
        [GIVEN] = " given",  [MOVED] = " moved",     [RAISED] = " raised",  [TERMINAL] = " terminal",
        [STREAM] = " stream", [FOREIGN] = " foreign"};
    const char *comma = "";
    append(text, ",\"refused\":[");
    for (size_t refusal = 0; refusal < REFUSALS; refusal++)
        comma = append_names(text, comma, counts->is_refused[refusal], refusals[refusal]);
    for (size_t i = 0; i < counts->refused_part_count; i++) {
        append(text, "%s\"", comma);
        append_name(text, counts->refused_parts[i].number);
        append(text, " %s\"", counts->refused_parts[i].what);
        comma = ",";
    }
    append(text, "]");
    comma = "";
    append(text, ",\"limits_reached\":[");
    for (size_t limit = 0; limit < LIMITS; limit++) {
        if (!counts->is_reached[limit])
            continue;
        append(text, "%s\"%s\"", comma, limits[limit]);
        comma = ",";
    }
    append(text, "]");
}

void append_streams(struct text *text, const struct counts *counts)
{
    static const char *const stream_names[STREAMS] = {"stdin", "stdout", "other_reads", "other_writes"};
    for (size_t i = 0; i < STREAMS; i++) {
        const struct stream *stream = &counts->streams[i];
        append(text, ",\"%s\":{\"calls\":%llu,\"bytes\":%llu,", stream_names[i], stream->calls, stream->bytes);
        if (stream->calls > 0)
            append(text, "\"nbyte_min\":%lld,\"nbyte_max\":%lld}", stream->nbyte_min, stream->nbyte_max);
        else
            append(text, "\"nbyte_min\":null,\"nbyte_max\":null}");
    }
}
