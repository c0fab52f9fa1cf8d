/* The data that the files of tally share. The theory of operation is in main.c; each file declares its functions in a
 * header of its own, so the includes of a file show which others it uses. */
#ifndef TALLY_H
#define TALLY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's switch */
#endif
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum {
    FAULT_STATUS = 125,      /* the same as env, timeout and docker use */
    CHILD_SOCKET_FD = 3,     /* the child's end of the socket, until execve closes it */
    PARENT_DIED = SIGUSR1,   /* the signal that the kernel sends us when our parent has ended */
    TOO_MANY_STRAYS = SIGUSR2, /* the signal that our other thread sends: see strays.c */
    TEXT_BYTES = 65536,      /* holds the longest report: every call's name with two numbers of 20 digits */
    CALL_NUMBERS = 512,      /* more than the highest number of a system call */
    MOST_FILES_OR_PROCESSES = 1 << 20, /* no ordinary user may have more */
    MOST_INPUTS = 64,        /* more files than a case gives to a program */
    MOST_PARTS = 16,         /* more than `refused_part` has */
};
static const long long SECOND_NS = 1000000000;
static const long long TIMEOUT_NS = 60 * SECOND_NS; /* for steps that take milliseconds, unless the machine is very busy */

enum option {
    REPORT_FD, MODE, EXEC, UID, GID, CWD, WALL_S, CPU_S, MEMORY_BYTES, STACK_BYTES, OUTPUT_BYTES, OPEN_FILES,
    PROCESSES, SPARE_PROCESSES, PIN_CPU, NO_GUARD, READ_NBYTE, WRITE_NBYTE, MAX_STOPS, TRANSFERS_ONLY, LIMITS_ONLY,
    WRITABLE, ARGV0, THREADS_ONLY,
    OPTIONS
};
enum { STDIN, STDOUT, OTHER_READS, OTHER_WRITES, STREAMS };
/* What a program may use up; see `limit_reached` and `limit_told_by`. */
enum limit { NO_LIMIT = -1, MEMORY, CHILDREN, DESCRIPTORS, FILE_SIZE, CPU_TIME, LOCKED_MEMORY, LIMITS };
/* What was refused to a program: by the guard, files outside its folder that it would change, a list of a folder
 * above it, the mode and times of files that it was given, moves between folders, a limit above the one that it
 * has, a terminal, the file of a standard stream, and calls of another architecture. */
enum refusal {
    NO_REFUSAL = -1, GUARDED_CALL, OUTSIDE, LISTED, GIVEN, MOVED, RAISED, TERMINAL, STREAM, FOREIGN, REFUSALS
};
enum mode { PLAIN, ACCOUNT, FILTER, MODES };

/* What the command line asks for. */
struct plan {
    bool given[OPTIONS];
    long long number[OPTIONS];    /* WALL_S in nanoseconds, MODE as enum mode */
    const char *cwd;
    const char *writable;         /* the folder in which the program may change files */
    const char *path;             /* of the program */
    char *argv0;                  /* what the program is called, if not by its path */
    char **program;               /* its argv: what it is called, and its operands */
    pid_t parent;                 /* of the process that takes the steps */
    unsigned int first_closed_fd; /* this one and all above it are closed before execve */
};

/* The numbers of /proc/PID/io that count calls and the bytes they moved. */
struct io {
    unsigned long long reads, writes, read_bytes, written_bytes;
};

/* What processes cost that were reaped: their CPU time and their calls. */
struct cost {
    long long user_us, system_us;
    struct io io;
};

/* A system call and those of its arguments that we look at: the last two are the flags and the descriptor of mmap. */
enum { ARGUMENTS = 5, MMAP_FLAGS = 3, MMAP_FD = 4 };
struct call {
    unsigned long long number, arguments[ARGUMENTS];
};

struct call_count {
    unsigned long long calls, errors;
};

struct stream {
    unsigned long long calls, bytes;
    long long nbyte_min, nbyte_max; /* meaningless if there were no calls */
};

struct counts {
    struct call_count calls[CALL_NUMBERS + 1]; /* by number; the last element is for all larger numbers */
    struct stream streams[STREAMS];
    unsigned long long input_mappings;         /* of standard input into memory */
    bool is_stray[CALL_NUMBERS + 1];           /* strays of this number were made (see the table in guard.c) */
    bool is_refused[REFUSALS][CALL_NUMBERS + 1]; /* this was refused to calls of this number */
    struct part {
        unsigned long long number;
        const char *what;
    } refused_parts[MOST_PARTS];               /* and by the guard, this of calls of which it refuses only parts */
    size_t refused_part_count;
    bool is_reached[LIMITS];                   /* the program reached this limit, and went on */
};

/* A thread of the program, or of one of its children, in mode `filter`. */
struct thread {
    pid_t tid;
    int io_fd;                         /* the thread's /proc/PID/task/TID/io, or -1 */
    bool is_in_call;                   /* a call was stopped at its start and has not returned */
    bool has_ended;                    /* the thread has reached its last stop */
    struct call call;
    bool is_on_stream;                 /* the call moves bytes of a standard stream's file, under any number */
    int refusal;                       /* errno with which the guard refuses the call, or 0 */
    struct io io_at_start;             /* when the program began */
    struct io io_at_call;              /* when the current call began */
    unsigned long long interrupted_at; /* reads plus writes when a call was last interrupted */
};

struct filter {
    struct thread *threads;
    size_t count, capacity;
    struct counts counts;
    struct io total_io;                /* of all threads that have ended */
    struct io stopped_io;              /* the part of it that belongs to stopped calls */
    bool has_started;                  /* the program was executed */
    bool stops_all_calls;              /* conforming calls are stopped too */
    long long stops;                   /* of calls, by the filter */
    struct stat program;               /* the file that the program's own process executes */
    struct stat input, output;         /* of our own standard input and output, which are the program's */
    bool is_exact;                     /* nothing was missed */
};

struct input_file {
    dev_t device;
    ino_t number;
};

/* One run of one program, as tally sees it. */
struct run {
    struct plan plan;
    pid_t parent;                         /* of tally itself */
    int report_fd;
    bool has_children;
    pid_t killer_pid, program_pid;        /* 0 if there is none, or none any more */
    int killer_pipe;                      /* closing it makes the killer act */
    int child_socket;                     /* our end of the socket */
    int io_fd, thread_io_fd;              /* our own numbers, with and without those of the children that we reaped */
    bool has_accounting, hit_wall, hit_stops;
    bool has_own_size_limit, has_own_time_limit; /* the program had set lower ones when it ended */
    int strays_fd;                        /* for the strays of mode `account`, or -1 */
    struct input_file inputs[MOST_INPUTS]; /* of mode `account` */
    size_t input_count;
    int opens_fd;                         /* tells when somebody opens the streams' files, or -1 */
    struct io accounting;                 /* first the counts before the program began, then those of the program */
    long long start_ns, deadline_ns, end_ns;
    int status;
    struct rusage usage;
    struct cost before;                   /* of all children that we reaped before the program was forked */
    struct cost killer, program;          /* of these two, from their forks to their ends */
    long long left_processes;             /* how many still ran when the program had ended, and were killed */
    struct cost orphans;                  /* of all others that the program left to us */
    double waited_s;                      /* the time in which the program could have run and had no CPU, or -1 */
    int exec_error;                       /* errno of a failed execve, or 0 */
    struct filter filter;
    bool (*clean_up)(struct run *run);    /* for `die`; a pointer, because the clean-up is on a floor above `die` */
};

/* What the child sends over the socket. */
struct child_message {
    enum { READY, STEP_FAILED, EXEC_FAILED, GUARDED } kind;
    int step, error;
};

#endif
