/* The guard: a seccomp filter that closes the ways around a tracer and the kernel's accounting. In mode `filter` the
 * same filter also lets conforming calls pass and stops every other call. In mode `account` it tells tally of strays, calls
 * that the accounting does not show, and lets them pass, without a tracer (strays.c).
 *
 * It is installed just before execve and needs no capability, because no_new_privs is set. A refused call fails with
 * an errno, so that programs can go on. Calls that only an attack makes end the process (SIGSYS). Only
 * registers decide, because memory may change after the filter has looked at it.
 *
 * The order of the instructions is for speed. In mode `filter` the two conforming cases come first. They depend on
 * arguments, so the kernel cannot keep their outcome in its table of calls that are always allowed (its "action
 * cache"). In the other modes read and write are in that table, and the filter does not even run for them. The table
 * is built per call number, so every rule checks the number before anything else, which keeps all other calls in the
 * table. */
#include "guard.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
enum { X32_BIT = 0x40000000, X32_END = 0x7fffffff, ADDRESSES_END = 0x8000 };
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
enum { ADDRESSES_END = 0x10000 };
#else
#error "the guard knows the system calls of x86-64 and arm64"
#endif

/* ADDRESSES_END is above the upper half of every address that a program gets, unless it asks for higher ones. */

/* Newer than some systems' headers. The numbers are the same on every architecture. */
enum {
    NR_IO_URING_SETUP = 425,
    NR_IO_URING_ENTER = 426,
    NR_IO_URING_REGISTER = 427,
    NR_CLONE3 = 435,
    NR_CLOSE_RANGE = 436,
    NR_PIDFD_GETFD = 438,
};

enum test { ALWAYS, ANY_BIT, NO_BIT, EQUAL, DIFFERENT, AT_MOST };

/* Refuse call `nr` with `error` if `test` holds for the low 32 bits of an argument and `value`. The kernel itself
 * uses only these 32 bits of the arguments that are tested here. */
static const struct rule {
    int nr;
    enum test test;
    unsigned int argument;
    uint32_t value;
    int error;
} rules[] = {
    /* Moves bytes in the kernel's own threads: a tracer sees no call, and the accounting counts no byte. */
    {NR_IO_URING_SETUP, ALWAYS, 0, 0, EPERM},
    {NR_IO_URING_ENTER, ALWAYS, 0, 0, EPERM},
    {NR_IO_URING_REGISTER, ALWAYS, 0, 0, EPERM},
    /* The older way: reads and writes that the accounting does not count. */
    {SYS_io_setup, ALWAYS, 0, 0, EPERM},
    {SYS_io_submit, ALWAYS, 0, 0, EPERM},
    /* A filter of the program's own could answer calls before ours stops them (SECCOMP_RET_USER_NOTIF), or fake their
     * results. */
    {SYS_seccomp, ALWAYS, 0, 0, EPERM},
    {SYS_prctl, EQUAL, 0, PR_SET_SECCOMP, EPERM},
    /* An undumpable process hides its accounting from us, and its /proc files from everybody. */
    {SYS_prctl, EQUAL, 0, PR_SET_DUMPABLE, EPERM},
    /* A process that already has a tracer cannot get us as a second one, and a tracer can make calls in other
     * processes. */
    {SYS_ptrace, ALWAYS, 0, 0, EPERM},
    /* Moves bytes between processes without a read or a write, and reads the memory of any process with the same
     * uid. */
    {SYS_process_vm_readv, ALWAYS, 0, 0, EPERM},
    {SYS_process_vm_writev, ALWAYS, 0, 0, EPERM},
    {NR_PIDFD_GETFD, ALWAYS, 0, 0, EPERM},
    /* Keys outlive the process and the submission, so they could carry messages. */
    {SYS_keyctl, ALWAYS, 0, 0, EPERM},
    {SYS_add_key, ALWAYS, 0, 0, EPERM},
    {SYS_request_key, ALWAYS, 0, 0, EPERM},
    /* System V and POSIX IPC: what a run leaves there outlives it, and without a container the submission too. A queue
     * can also be opened as a file, so all calls on queues are refused and not only mq_open. */
    {SYS_shmget, ALWAYS, 0, 0, EPERM},
    {SYS_shmat, ALWAYS, 0, 0, EPERM},
    {SYS_shmctl, ALWAYS, 0, 0, EPERM},
    {SYS_shmdt, ALWAYS, 0, 0, EPERM},
    {SYS_semget, ALWAYS, 0, 0, EPERM},
    {SYS_semop, ALWAYS, 0, 0, EPERM},
    {SYS_semtimedop, ALWAYS, 0, 0, EPERM},
    {SYS_semctl, ALWAYS, 0, 0, EPERM},
    {SYS_msgget, ALWAYS, 0, 0, EPERM},
    {SYS_msgsnd, ALWAYS, 0, 0, EPERM},
    {SYS_msgrcv, ALWAYS, 0, 0, EPERM},
    {SYS_msgctl, ALWAYS, 0, 0, EPERM},
    {SYS_mq_open, ALWAYS, 0, 0, EPERM},
    {SYS_mq_unlink, ALWAYS, 0, 0, EPERM},
    {SYS_mq_timedsend, ALWAYS, 0, 0, EPERM},
    {SYS_mq_timedreceive, ALWAYS, 0, 0, EPERM},
    {SYS_mq_notify, ALWAYS, 0, 0, EPERM},
    {SYS_mq_getsetattr, ALWAYS, 0, 0, EPERM},
    /* Watching files that all submissions read shows when another one reads them. */
    {SYS_inotify_init1, ALWAYS, 0, 0, EPERM},
#ifdef SYS_inotify_init
    {SYS_inotify_init, ALWAYS, 0, 0, EPERM},
#endif
    {SYS_fanotify_init, ALWAYS, 0, 0, EPERM},
    {SYS_fcntl, EQUAL, 1, F_NOTIFY, EPERM},
    /* The bytes of one file become those of another, and neither a tracer nor the accounting sees them move. */
    {SYS_ioctl, EQUAL, 1, (uint32_t)FICLONE, EPERM},
    {SYS_ioctl, EQUAL, 1, (uint32_t)FICLONERANGE, EPERM},
    /* Large parts of the kernel that no lab needs, and where ways out of a container are found. */
    {SYS_bpf, ALWAYS, 0, 0, EPERM},
    {SYS_userfaultfd, ALWAYS, 0, 0, EPERM},
    {SYS_perf_event_open, ALWAYS, 0, 0, EPERM},
    /* Puts memory into a pipe: the reader gets bytes that were never written. */
    {SYS_vmsplice, ALWAYS, 0, 0, EPERM},
    /* CLONE_UNTRACED: a child that its parent's tracer does not follow. CLONE_PTRACE: a child that gets a tracer by a
     * rule that is not ours. CLONE_NEWUSER: root in a new user namespace, with all of root's calls. */
    {SYS_clone, ANY_BIT, 0, CLONE_UNTRACED | CLONE_PTRACE | CLONE_NEWUSER, EPERM},
    {SYS_unshare, ANY_BIT, 0, CLONE_NEWUSER, EPERM},
    {SYS_setns, ALWAYS, 0, 0, EPERM},
    /* Its flags are in memory, where no filter can look. With ENOSYS the C library falls back to clone. */
    {NR_CLONE3, ALWAYS, 0, 0, ENOSYS},
    /* Processes that stay in the program's process group end with one signal to the group, which no fork outruns.
     * Without root there is no other such signal. If each process of a bomb of 200 had its own session, and so its
     * own share of the processor, looking through /proc would take us a minute. */
    {SYS_setsid, ALWAYS, 0, 0, EPERM},
    {SYS_setpgid, ALWAYS, 0, 0, EPERM},
    /* kill(-1) reaches everything that a user runs. Without root that is a desktop or a login, and a child that could
     * not be forked is enough to cause it: kill(fork(), SIGTERM). */
    {SYS_kill, EQUAL, 0, (uint32_t)-1, EPERM},
    /* The kernel reaps the children of a process that ignores SIGCHLD, and forgets what they cost. Asking is refused as
     * well: valgrind leaves a signal alone of which it cannot ask, and ends if it may ask and not set. */
    {SYS_rt_sigaction, EQUAL, 0, SIGCHLD, EPERM},
    /* The network, kernel interfaces that are sockets, and sockets with names, by which two submissions could meet. A
     * pair without names stays within one program. Only pairs of type SOCK_STREAM: others could still get a name, from
     * the kernel (see unix(7) on autobind), and the types without this one have one of these bits. */
    {SYS_socket, ALWAYS, 0, 0, EPERM},
    {SYS_bind, ALWAYS, 0, 0, EPERM},
    {SYS_connect, ALWAYS, 0, 0, EPERM},
    {SYS_socketpair, DIFFERENT, 0, AF_UNIX, EPERM},
    {SYS_socketpair, ANY_BIT, 1, SOCK_DGRAM | SOCK_RDM, EPERM},
};

/* What `--threads-only` refuses, with the errno of a limit that is reached: new processes, however they begin. */
static const struct rule forks[] = {
    {SYS_clone, NO_BIT, 0, CLONE_THREAD, EAGAIN},
#ifdef SYS_fork
    {SYS_fork, ALWAYS, 0, 0, EAGAIN},
    {SYS_vfork, ALWAYS, 0, 0, EAGAIN},
#endif
};

/* What `--transfers-only` stops: calls that move a program's bytes, that the kernel counts as reads or writes, or after
 * which conforming calls mean something else (see `ends_fast_path`). All others pass, however many there are. */
static const struct rule transfers[] = {
    {SYS_read, ALWAYS, 0, 0, 0},
    {SYS_write, ALWAYS, 0, 0, 0},
    {SYS_pread64, ALWAYS, 0, 0, 0},
    {SYS_pwrite64, ALWAYS, 0, 0, 0},
    {SYS_readv, ALWAYS, 0, 0, 0},
    {SYS_writev, ALWAYS, 0, 0, 0},
    {SYS_preadv, ALWAYS, 0, 0, 0},
    {SYS_pwritev, ALWAYS, 0, 0, 0},
    {SYS_preadv2, ALWAYS, 0, 0, 0},
    {SYS_pwritev2, ALWAYS, 0, 0, 0},
    {SYS_sendfile, ALWAYS, 0, 0, 0},
    {SYS_copy_file_range, ALWAYS, 0, 0, 0},
    {SYS_splice, ALWAYS, 0, 0, 0},
    {SYS_tee, ALWAYS, 0, 0, 0},
    {SYS_execve, ALWAYS, 0, 0, 0},
    {SYS_execveat, ALWAYS, 0, 0, 0},
    {SYS_mmap, DIFFERENT, MMAP_FD, (uint32_t)-1, 0},
    {SYS_close, AT_MOST, 0, STDOUT_FILENO, 0},
    {NR_CLOSE_RANGE, AT_MOST, 0, STDOUT_FILENO, 0},
#ifdef SYS_dup2
    {SYS_dup2, AT_MOST, 1, STDOUT_FILENO, 0},
#endif
    {SYS_dup3, AT_MOST, 1, STDOUT_FILENO, 0},
    {SYS_fcntl, AT_MOST, 0, STDOUT_FILENO, 0},
    {SYS_ioctl, AT_MOST, 0, STDOUT_FILENO, 0},
};

/* What `--limits-only` stops besides refused calls: those that may fail because of a limit, or of what is around
 * the program (refusals.c). All others pass. */
static const struct rule limited[] = {
    {SYS_mmap, ALWAYS, 0, 0, 0},
    {SYS_mremap, ALWAYS, 0, 0, 0},
    {SYS_mlock, ALWAYS, 0, 0, 0},
    {SYS_mlock2, ALWAYS, 0, 0, 0},
    {SYS_mlockall, ALWAYS, 0, 0, 0},
    {SYS_clone, ALWAYS, 0, 0, 0},
#ifdef SYS_fork
    {SYS_fork, ALWAYS, 0, 0, 0},
    {SYS_vfork, ALWAYS, 0, 0, 0},
    {SYS_open, ALWAYS, 0, 0, 0},
    {SYS_pipe, ALWAYS, 0, 0, 0},
    {SYS_access, ALWAYS, 0, 0, 0},
#endif
    {SYS_openat, ALWAYS, 0, 0, 0},
    {SYS_faccessat, ALWAYS, 0, 0, 0},
#ifdef SYS_faccessat2
    {SYS_faccessat2, ALWAYS, 0, 0, 0},
#endif
    {SYS_setrlimit, ALWAYS, 0, 0, 0},
    {SYS_prlimit64, ALWAYS, 0, 0, 0},
#define F(name, use, folder, path) {SYS_##name, ALWAYS, 0, 0, 0},
#include "file_calls.h"
#undef F
    {SYS_pipe2, ALWAYS, 0, 0, 0},
    {SYS_dup, ALWAYS, 0, 0, 0},
#ifdef SYS_dup2
    {SYS_dup2, ALWAYS, 0, 0, 0},
#endif
    {SYS_dup3, ALWAYS, 0, 0, 0},
    {SYS_fcntl, EQUAL, 1, F_DUPFD, 0},
    {SYS_fcntl, EQUAL, 1, F_DUPFD_CLOEXEC, 0},
    {SYS_socketpair, ALWAYS, 0, 0, 0},
    {SYS_epoll_create1, ALWAYS, 0, 0, 0},
    {SYS_eventfd2, ALWAYS, 0, 0, 0},
    {SYS_memfd_create, ALWAYS, 0, 0, 0},
};

/* Strays in every run of mode `account`: calls that move bytes, and that the kernel does not count. `add_file_mapping` has
 * the rest. */
static const struct rule splices[] = {
    {SYS_splice, ALWAYS, 0, 0, EPERM},
    {SYS_tee, ALWAYS, 0, 0, EPERM},
};

/* Strays if conforming calls are given: other calls on the standard streams, and the ways to have these under another
 * number. `add_stray_fcntl` and `add_stray_mapping` have the rest. Processes that the program starts have the same filter.
 * Mode `filter` reports which of these calls a program makes; if it made none there, it has looked for a tracer. Opening
 * the file of a standard stream again is noticed in another way (opens.c). */
static const struct rule strays[] = {
    {SYS_read, EQUAL, 0, STDIN_FILENO, 0},
    {SYS_pread64, EQUAL, 0, STDIN_FILENO, 0},
    {SYS_readv, EQUAL, 0, STDIN_FILENO, 0},
    {SYS_preadv, EQUAL, 0, STDIN_FILENO, 0},
    {SYS_preadv2, EQUAL, 0, STDIN_FILENO, 0},
    {SYS_write, EQUAL, 0, STDOUT_FILENO, 0},
    {SYS_pwrite64, EQUAL, 0, STDOUT_FILENO, 0},
    {SYS_writev, EQUAL, 0, STDOUT_FILENO, 0},
    {SYS_pwritev, EQUAL, 0, STDOUT_FILENO, 0},
    {SYS_pwritev2, EQUAL, 0, STDOUT_FILENO, 0},
    {SYS_sendfile, ALWAYS, 0, 0, 0},
    {SYS_copy_file_range, ALWAYS, 0, 0, 0},
    {SYS_splice, ALWAYS, 0, 0, 0},
    {SYS_tee, ALWAYS, 0, 0, 0},
    {SYS_dup, AT_MOST, 0, STDOUT_FILENO, 0},
#ifdef SYS_dup2
    {SYS_dup2, AT_MOST, 0, STDOUT_FILENO, 0},
#endif
    {SYS_dup3, AT_MOST, 0, STDOUT_FILENO, 0},
    {SYS_sendmsg, ALWAYS, 0, 0, 0},
    {SYS_sendmmsg, ALWAYS, 0, 0, 0},
};

enum {
    MAX_INSTRUCTIONS =
        64 + 6 * (LENGTH(rules) + LENGTH(forks) + LENGTH(transfers) + LENGTH(limited) + LENGTH(splices) +
                  LENGTH(strays))
};

struct code {
    struct sock_filter at[MAX_INSTRUCTIONS];
    unsigned short length;
};

/* Continue with the next instruction if the accumulator passes the test, otherwise skip `skipped` of them. */
static void test_or_skip(struct code *code, uint16_t test, uint32_t value, uint8_t skipped)
{
    code->at[code->length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, skipped);
}

static void test_and_skip(struct code *code, uint16_t test, uint32_t value, uint8_t skipped)
{
    code->at[code->length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, skipped, 0);
}

static void add_load(struct code *code, size_t offset)
{
    code->at[code->length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void add_return(struct code *code, uint32_t action)
{
    code->at[code->length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

/* Linux runs both architectures little-endian. */
static size_t low_half(unsigned int argument)
{
    return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
}

static size_t high_half(unsigned int argument)
{
    return low_half(argument) + sizeof(uint32_t);
}

/* int 0x80 and 32-bit programs use other numbers for the same calls, so no rule would mean what it says. */
static void add_architecture(struct code *code)
{
    add_load(code, offsetof(struct seccomp_data, arch));
    test_and_skip(code, BPF_JEQ, NATIVE_ARCH, 1);
    add_return(code, SECCOMP_RET_KILL_PROCESS);
    add_load(code, offsetof(struct seccomp_data, nr));
}

/* x32 has its own numbers for the same calls. -1 has that bit too, but it is just not a call. */
static void add_x32(struct code *code)
{
#if defined(__x86_64__)
    test_or_skip(code, BPF_JGE, X32_BIT, 2);
    test_and_skip(code, BPF_JGT, X32_END, 1);
    add_return(code, SECCOMP_RET_KILL_PROCESS);
#else
    (void)code;
#endif
}

static void add_rule(struct code *code, const struct rule *rule, uint32_t refusal)
{
    if (rule->test == ALWAYS) {
        test_or_skip(code, BPF_JEQ, (uint32_t)rule->nr, 1);
        add_return(code, refusal | (uint32_t)rule->error);
        return;
    }
    test_or_skip(code, BPF_JEQ, (uint32_t)rule->nr, 4);
    add_load(code, low_half(rule->argument));
    if (rule->test == DIFFERENT)
        test_and_skip(code, BPF_JEQ, rule->value, 1);
    else if (rule->test == NO_BIT)
        test_and_skip(code, BPF_JSET, rule->value, 1);
    else if (rule->test == AT_MOST)
        test_and_skip(code, BPF_JGT, rule->value, 1);
    else
        test_or_skip(code, rule->test == ANY_BIT ? BPF_JSET : BPF_JEQ, rule->value, 1);
    add_return(code, refusal | (uint32_t)rule->error);
    add_load(code, offsetof(struct seccomp_data, nr));
}

/* Let read(0, _, N) or write(1, _, N) pass. The kernel uses 32 bits of the descriptor and 64 of nbyte. It refuses an
 * address above those that programs have before it counts the call, so such calls are stopped too. */
static void add_conforming(struct code *code, uint32_t nr, uint32_t fd, uint32_t nbyte)
{
    test_or_skip(code, BPF_JEQ, nr, 10);
    add_load(code, low_half(0));
    test_or_skip(code, BPF_JEQ, fd, 7);
    add_load(code, low_half(2));
    test_or_skip(code, BPF_JEQ, nbyte, 5);
    add_load(code, high_half(2));
    test_or_skip(code, BPF_JEQ, 0, 3);
    add_load(code, high_half(1));
    test_and_skip(code, BPF_JGE, ADDRESSES_END, 1);
    add_return(code, SECCOMP_RET_ALLOW);
    add_load(code, offsetof(struct seccomp_data, nr));
}

/* Other commands than these two copy nothing. */
static void add_stray_fcntl(struct code *code, uint32_t action)
{
    test_or_skip(code, BPF_JEQ, SYS_fcntl, 7);
    add_load(code, low_half(0));
    test_and_skip(code, BPF_JGT, STDOUT_FILENO, 4);
    add_load(code, low_half(1));
    test_and_skip(code, BPF_JEQ, F_DUPFD, 1);
    test_or_skip(code, BPF_JEQ, F_DUPFD_CLOEXEC, 1);
    add_return(code, action);
    add_load(code, offsetof(struct seccomp_data, nr));
}

/* The descriptor of a mapping counts only if a file is mapped. */
static void add_stray_mapping(struct code *code, uint32_t action)
{
    test_or_skip(code, BPF_JEQ, SYS_mmap, 6);
    add_load(code, low_half(MMAP_FD));
    test_or_skip(code, BPF_JEQ, STDIN_FILENO, 3);
    add_load(code, low_half(MMAP_FLAGS));
    test_and_skip(code, BPF_JSET, MAP_ANONYMOUS, 1);
    add_return(code, action);
    add_load(code, offsetof(struct seccomp_data, nr));
}

/* Any descriptor may be one of the input's file, which no filter knows: tally looks (strays.c). */
static void add_file_mapping(struct code *code, uint32_t action)
{
    test_or_skip(code, BPF_JEQ, SYS_mmap, 4);
    add_load(code, low_half(MMAP_FLAGS));
    test_and_skip(code, BPF_JSET, MAP_ANONYMOUS, 1);
    add_return(code, action);
    add_load(code, offsetof(struct seccomp_data, nr));
}

/* The child's message with the descriptor for strays. What is below it has none, and waits for nobody. No program
 * knows the address: it is random, and the program's own memory replaces this. */
static void add_message(struct code *code, uintptr_t address)
{
    test_or_skip(code, BPF_JEQ, SYS_sendmsg, 6);
    add_load(code, low_half(1));
    test_or_skip(code, BPF_JEQ, (uint32_t)address, 3);
    add_load(code, high_half(1));
    test_or_skip(code, BPF_JEQ, (uint32_t)((uint64_t)address >> 32), 1);
    add_return(code, SECCOMP_RET_ALLOW);
    add_load(code, offsetof(struct seccomp_data, nr));
}

static void add_strays(struct code *code, uint32_t action)
{
    for (size_t i = 0; i < LENGTH(strays); i++)
        add_rule(code, &strays[i], action);
    add_stray_fcntl(code, action);
    add_stray_mapping(code, action);
}

/* Without notifications, the loader must still map its files. */
static void add_uncounted(struct code *code, bool has_strays, bool tells)
{
    for (size_t i = 0; i < LENGTH(splices); i++)
        add_rule(code, &splices[i], tells ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO);
    if (!has_strays && tells)
        add_file_mapping(code, SECCOMP_RET_USER_NOTIF);
    else if (!has_strays)
        add_stray_mapping(code, SECCOMP_RET_ERRNO | EPERM);
}

/* In mode `filter` a refused call is stopped with the errno as data, so that it is counted; tally then cancels it. If
 * tally ends, so does the program, so no refused call is ever made because the tracer is missing. */
static void write_filter(struct code *code, const struct plan *plan, const struct msghdr *message)
{
    const bool filters = plan->number[MODE] == FILTER;
    const uint32_t refusal = filters ? SECCOMP_RET_TRACE : SECCOMP_RET_ERRNO;
    const bool accounts = plan->number[MODE] == ACCOUNT;
    const bool has_strays = accounts && plan->given[READ_NBYTE];
    add_architecture(code);
    if (plan->given[READ_NBYTE])
        add_conforming(code, SYS_read, STDIN_FILENO, (uint32_t)plan->number[READ_NBYTE]);
    if (plan->given[WRITE_NBYTE])
        add_conforming(code, SYS_write, STDOUT_FILENO, (uint32_t)plan->number[WRITE_NBYTE]);
    add_x32(code);
    for (size_t i = 0; i < LENGTH(rules); i++)
        add_rule(code, &rules[i], refusal);
    for (size_t i = 0; plan->given[THREADS_ONLY] && i < LENGTH(forks); i++)
        add_rule(code, &forks[i], refusal);
    for (size_t i = 0; plan->given[TRANSFERS_ONLY] && i < LENGTH(transfers); i++)
        add_rule(code, &transfers[i], SECCOMP_RET_TRACE);
    for (size_t i = 0; plan->given[LIMITS_ONLY] && i < LENGTH(limited); i++)
        add_rule(code, &limited[i], SECCOMP_RET_TRACE);
    if (message != NULL)
        add_message(code, (uintptr_t)message);
    if (plan->given[TRANSFERS_ONLY] || has_strays)
        add_strays(code, filters ? SECCOMP_RET_TRACE : message != NULL ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_KILL_PROCESS);
    if (accounts)
        add_uncounted(code, has_strays, message != NULL);
    const bool stops_others = filters && !plan->given[TRANSFERS_ONLY] && !plan->given[LIMITS_ONLY];
    add_return(code, stops_others ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW);
}

/* Return whether a call passes `add_conforming`'s instructions. */
bool is_conforming(const struct plan *plan, const struct call *call)
{
    const bool reads = call->number == SYS_read;
    const enum option option = reads ? READ_NBYTE : WRITE_NBYTE;
    return (reads || call->number == SYS_write) && plan->given[option] &&
           (uint32_t)call->arguments[0] == (reads ? STDIN_FILENO : STDOUT_FILENO) &&
           call->arguments[2] == (unsigned long long)plan->number[option] &&
           call->arguments[1] >> 32 < ADDRESSES_END;
}

static bool passes_test(const struct rule *rule, uint32_t argument)
{
    return rule->test == ALWAYS || (rule->test == EQUAL ? argument == rule->value : argument <= rule->value);
}

/* Return whether `add_strays`'s instructions stop a call that did not pass those of `add_conforming`. */
bool is_stray(const struct plan *plan, const struct call *call)
{
    const uint32_t fd = (uint32_t)call->arguments[0];
    const uint32_t second = (uint32_t)call->arguments[1];
    if (is_conforming(plan, call))
        return false;
    if (call->number == SYS_fcntl)
        return fd <= STDOUT_FILENO && (second == F_DUPFD || second == F_DUPFD_CLOEXEC);
    if (call->number == SYS_mmap)
        return (uint32_t)call->arguments[MMAP_FD] == STDIN_FILENO && (call->arguments[MMAP_FLAGS] & MAP_ANONYMOUS) == 0;
    for (size_t i = 0; i < LENGTH(strays); i++)
        if (call->number == (unsigned long long)strays[i].nr)
            return passes_test(&strays[i], (uint32_t)call->arguments[strays[i].argument]);
    return false;
}

/* Return what of a refused call is refused, where the rules above refuse more than one thing of it; otherwise NULL. */
const char *refused_part(const struct call *call)
{
    const uint32_t first = (uint32_t)call->arguments[0];
    switch (call->number) {
    case SYS_prctl:
        return first == PR_SET_SECCOMP ? "PR_SET_SECCOMP" : "PR_SET_DUMPABLE";
    case SYS_ioctl:
        return (uint32_t)call->arguments[1] == (uint32_t)FICLONE ? "FICLONE" : "FICLONERANGE";
    case SYS_clone:
        if ((first & CLONE_UNTRACED) != 0)
            return "CLONE_UNTRACED";
        return (first & CLONE_PTRACE) != 0 ? "CLONE_PTRACE" : "CLONE_NEWUSER";
    case SYS_socketpair:
        return first != AF_UNIX ? "not-AF_UNIX" : "not-SOCK_STREAM";
    default:
        return NULL;
    }
}

/* SPEC_ALLOW: before Linux 5.16 a filter also switches off the processor's speculation on stores, which protects
 * programs only from themselves. The program would be slower than the one whose time we want to measure. Kernels
 * before 4.17 do not know the flag. */
static int install_filter(struct code *code)
{
    const struct sock_fprog program = {code->length, code->at};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0)
        return 0;
    return errno == EINVAL ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) : -1;
}

/* Kernels before 5.5 accept such a filter, and then cannot let the calls pass. */
static bool can_pass_strays(void)
{
    struct utsname kernel;
    int major = 0;
    int minor = 0;
    return uname(&kernel) == 0 && sscanf(kernel.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 5));
}

/* Install a filter that reports strays, and send its descriptor to tally. A process has at most one such filter, which a
 * container may have installed: then return false. */
static bool install_telling_filter(const struct plan *plan)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {0};
    struct child_message kind = {.kind = GUARDED};
    struct iovec bytes = {&kind, sizeof kind};
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    struct code code = {.length = 0};
    write_filter(&code, plan, &message);
    const struct sock_fprog program = {code.length, code.at};
    const unsigned int flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW | SECCOMP_FILTER_FLAG_NEW_LISTENER;
    const int fd = can_pass_strays() ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) : -1;
    if (fd < 0)
        return false;
    *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    /* If the message does not arrive, tally is gone. */
    (void)syscall(SYS_sendmsg, CHILD_SOCKET_FD, &message, MSG_NOSIGNAL);
    (void)close(fd);
    return true;
}

int install_guard(const struct plan *plan)
{
    const struct child_message guarded = {.kind = GUARDED};
    struct code code = {.length = 0};
    if (plan->given[NO_GUARD] || (plan->number[MODE] == ACCOUNT && install_telling_filter(plan)))
        return 0;
    write_filter(&code, plan, NULL);
    if (install_filter(&code) != 0)
        return -1;
    if (plan->number[MODE] == ACCOUNT)
        (void)send(CHILD_SOCKET_FD, &guarded, sizeof guarded, MSG_NOSIGNAL);
    return 0;
}
