/* What the parts of tally share; the theory of operation stands in main.c. */
#ifndef TALLY_H
#define TALLY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's switch */
#endif
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum {
    FAULT_STATUS = 125,      /* as with env, timeout and docker */
    CHANNEL_FD = 3,          /* where the child keeps its end of the socket until execve closes it */
    PARENT_DIED = SIGUSR1,   /* what the kernel sends us when our parent has ended */
    TEXT_BYTES = 65536,      /* for the longest report: every name of a call with two numbers of 20 digits */
    CALL_NUMBERS = 512,      /* numbers of system calls are below */
};
static const long long SECOND_NS = 1000000000;
static const long long PATIENCE_NS = 10 * SECOND_NS; /* for what takes milliseconds on a healthy machine */

enum option {
    REPORT_FD, MODE, EXEC, UID, GID, CWD, WALL_S, CPU_S, MEMORY_BYTES, STACK_BYTES, OUTPUT_BYTES, OPEN_FILES, PROCESSES,
    SPARE_PROCESSES, PIN_CPU, NO_GUARD, READ_NBYTE, WRITE_NBYTE, OPTIONS
};
enum { STDIN, STDOUT, OTHER_READS, OTHER_WRITES, STREAMS };
enum mode { PLAIN, ACCOUNT, FILTER, MODES };

/* What was asked for. */
struct plan {
    bool given[OPTIONS];
    long long number[OPTIONS];   /* WALL_S in nanoseconds, MODE as enum mode */
    const char *cwd;
    char **program;              /* its path and operands, as for execv */
    pid_t parent;                /* of the process that takes the steps */
    unsigned int first_spare_fd; /* this one and all above are closed before execve */
};

/* The numbers of /proc/PID/io that count calls and what they moved. */
struct io {
    unsigned long long reads, writes, read_bytes, written_bytes;
};

/* A system call and as many of its arguments as we look at. */
struct call {
    unsigned long long number, arguments[3];
};

struct call_count {
    unsigned long long calls, errors;
};

struct stream {
    unsigned long long calls, bytes;
    long long nbyte_min, nbyte_max; /* of no meaning without calls */
};

struct counts {
    struct call_count calls[CALL_NUMBERS + 1]; /* by number; the last is for larger ones */
    struct stream streams[STREAMS];
};

/* A thread of the program, or of a child of it, in mode `filter`. */
struct thread {
    pid_t tid;
    int io_fd;                         /* its own numbers, or -1 */
    bool is_in_call, has_ended;        /* in a call that was stopped when it began; at its last stop */
    struct call call;
    int refusal;                       /* errno with which the guard refuses the call, or 0 */
    struct io base, before;            /* when the program, and when the call, began */
    unsigned long long interrupted_at; /* its reads and writes when one was last interrupted */
};

struct filter {
    struct thread *threads;
    size_t count, room;
    struct counts counts;
    struct io total, stopped;          /* of threads that ended; of calls that were stopped */
    bool has_started, stops_all;       /* the program was executed; conforming calls, too, are stopped */
    bool is_exact;                     /* nothing was missed */
};

/* One run of one program, as tally sees it. */
struct run {
    struct plan plan;
    pid_t parent;                /* tally's own */
    int report_fd;
    bool has_children;
    pid_t helper, program;       /* 0: none, or none any more */
    int order;                   /* closing it is the order to the helper */
    int channel;                 /* our end of the socket */
    int io_fd;                   /* our own /proc/self/io */
    bool has_accounting, hit_wall;
    struct io accounting;        /* first what was counted before the program, then what it did */
    long long start_ns, deadline_ns, end_ns;
    int status;
    struct rusage usage;
    int exec_error;              /* errno of a failed execve, or 0 */
    struct filter filter;
    bool (*clean_up)(struct run *run); /* what `die` does first */
};

/* What the child says over the channel. */
struct word {
    enum { READY, STEP_FAILED, EXEC_FAILED } kind;
    int step, error;
};

#endif
