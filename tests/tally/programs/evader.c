/* Tries to get past a tracer. Prints attempts that the guard refuses on standard error, each with a name and an errno. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acts.h"

/* Conforming writes. */
static void write_bytes(int bytes)
{
    for (int i = 0; i < bytes; i++)
        if (write(1, "x", 1) != 1)
            fail("write");
}

/* ---- attempts that the guard refuses ---- */

static void say(const char *name, long result)
{
    const int error = result < 0 ? errno : 0;
    fprintf(stderr, "%s %d\n", name, error);
}

static long install_filter(unsigned flags, uint32_t action)
{
    struct sock_filter rules[] = {BPF_STMT(BPF_RET | BPF_K, action)};
    const struct sock_fprog filter = {1, rules};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

static long clone_with(unsigned long flags)
{
    const long pid = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        _exit(0);
    return pid;
}

/* Numbers where headers may lack the names. */
static int try_all(int unused)
{
    struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {1, allow};
    struct iovec piece = {&(char){0}, 1};
    uint64_t clone3_arguments[11] = {0};
    int ends[2];
    (void)unused;
    if (pipe(ends) != 0)
        fail("pipe");
    clone3_arguments[4] = SIGCHLD;
    say("io_uring_setup", syscall(425, 1, NULL));
    say("io_uring_enter", syscall(426, 0, 0, 0, 0, NULL, 0));
    say("io_uring_register", syscall(427, 0, 0, NULL, 0));
    say("io_setup", syscall(SYS_io_setup, 1, NULL));
    say("io_submit", syscall(SYS_io_submit, 0, 0, NULL));
    say("seccomp", install_filter(0, SECCOMP_RET_ALLOW));
    say("seccomp", install_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_RET_USER_NOTIF));
    say("seccomp", install_filter(0, SECCOMP_RET_TRACE | 7)); /* a forged event message */
    say("prctl", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
    say("prctl", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
    say("prctl", prctl(PR_SET_DUMPABLE, 0));
    say("ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    say("process_vm_readv", process_vm_readv(getppid(), &piece, 1, &piece, 1, 0));
    say("process_vm_writev", process_vm_writev(getppid(), &piece, 1, &piece, 1, 0));
    say("pidfd_getfd", syscall(438, 0, 0, 0));
    say("keyctl", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
    say("add_key", syscall(SYS_add_key, "user", "note", "x", 1, -4));
    say("request_key", syscall(SYS_request_key, "user", "note", NULL, -4));
    say("bpf", syscall(SYS_bpf, 0, NULL, 0));
    say("userfaultfd", syscall(SYS_userfaultfd, 0));
    say("perf_event_open", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
    say("vmsplice", vmsplice(ends[1], &piece, 1, 0));
    say("clone", clone_with(CLONE_UNTRACED));
    say("clone", clone_with(CLONE_PTRACE));
    say("clone", clone_with(CLONE_NEWUSER));
    say("unshare", unshare(CLONE_NEWUSER));
    say("setns", setns(0, 0));
    say("clone3", syscall(435, clone3_arguments, sizeof clone3_arguments));
    say("setsid", setsid());
    say("setpgid", setpgid(0, 0));
    say("kill", kill(-1, 0));
    say("shmget", shmget(IPC_PRIVATE, 1, IPC_CREAT | 0600));
    say("shmat", (long)shmat(0, NULL, 0));
    say("shmctl", shmctl(0, IPC_RMID, NULL));
    say("shmdt", shmdt(ends));
    say("semget", semget(IPC_PRIVATE, 1, IPC_CREAT | 0600));
    say("semop", syscall(SYS_semop, 0, &(struct sembuf){0}, 1)); /* the C library makes it a semtimedop */
    say("semtimedop", semtimedop(0, &(struct sembuf){0}, 1, NULL));
    say("semctl", semctl(0, 0, IPC_RMID));
    say("msgget", msgget(IPC_PRIVATE, IPC_CREAT | 0600));
    say("msgsnd", msgsnd(0, &(struct msgbuf){1, {0}}, 1, IPC_NOWAIT));
    say("msgrcv", msgrcv(0, &(struct msgbuf){0}, 1, 0, IPC_NOWAIT));
    say("msgctl", msgctl(0, IPC_RMID, NULL));
    say("mq_open", mq_open("/note", O_RDWR | O_CREAT, 0600, NULL));
    say("mq_unlink", syscall(SYS_mq_unlink, "note")); /* the C library changes its errno */
    say("mq_timedsend", mq_send(0, "", 0, 0));
    say("mq_timedreceive", mq_receive(0, &(char){0}, 1, NULL));
    say("mq_notify", mq_notify(0, NULL));
    say("mq_getsetattr", mq_getattr(0, &(struct mq_attr){0}));
    say("inotify_init1", inotify_init1(0));
    say("fcntl", fcntl(open("/", O_RDONLY | O_DIRECTORY), F_NOTIFY, DN_ACCESS));
    say("ioctl", ioctl(memfd_create("other", 0), FICLONE, 0));
    say("ioctl", ioctl(memfd_create("other", 0), FICLONERANGE, NULL));
    say("fanotify_init", fanotify_init(FAN_CLASS_NOTIF, O_RDONLY));
    say("socket", socket(AF_UNIX, SOCK_STREAM, 0));
    say("socket", socket(AF_INET, SOCK_STREAM, 0));
    say("socket", socket(AF_INET6, SOCK_DGRAM, 0));
    say("socket", socket(AF_NETLINK, SOCK_RAW, 0));
    say("socket", socket(AF_PACKET, SOCK_RAW, 0));
    say("socketpair", socketpair(AF_INET, SOCK_STREAM, 0, ends));
    say("socketpair", socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends));
    say("socketpair", socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
    say("socketpair", socketpair(AF_UNIX, SOCK_RAW, 0, ends));
    say("bind", bind(0, &(struct sockaddr){.sa_family = AF_UNIX}, sizeof(sa_family_t)));
    say("connect", connect(0, &(struct sockaddr){.sa_family = AF_UNSPEC}, sizeof(sa_family_t)));
    return 0;
}

#if defined(__x86_64__)

/* The 32-bit way to make a call: write is 4 there. */
static int call_32_bit(int unused)
{
    long result = 4;
    (void)unused;
    __asm__ volatile("int $0x80" : "+a"(result) : "b"(1L), "c"("x"), "d"(1L) : "memory", "r8", "r9", "r10", "r11");
    return 1;
}

static int call_x32(int unused)
{
    (void)unused;
    return syscall(0x40000000 + SYS_write, 1, "x", 1) == 1;
}

#endif

/* No call at all, by number. */
static int call_nothing(int unused)
{
    (void)unused;
    return syscall(-1) == -1 && errno == ENOSYS && syscall(100000) == -1 && errno == ENOSYS ? 0 : 99;
}

/* ---- other ways for bytes ---- */

/* One byte per write where there is a tracer, all at once where there is none. */
static int look_for_tracer(int bytes)
{
    char text[4096] = "";
    const int fd = open("/proc/self/status", O_RDONLY);
    if (read(fd, text, sizeof text - 1) <= 0 || strstr(text, "TracerPid:\t") == NULL)
        fail("/proc/self/status");
    if (atoi(strstr(text, "TracerPid:\t") + 11) != 0)
        write_bytes(bytes);
    else if (write(1, text, (size_t)bytes) != bytes)
        fail("write");
    return 0;
}

static int map_input(int bytes)
{
    const char *input = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, 0, 0);
    if (input == MAP_FAILED)
        fail("mmap");
    for (int i = 0; i < bytes; i++)
        if (write(1, input + i, 1) != 1)
            fail("write");
    return 0;
}

static int send_file(int bytes)
{
    return sendfile(1, 0, NULL, (size_t)bytes) == bytes ? 0 : fail("sendfile");
}

static int copy_range(int bytes)
{
    return copy_file_range(0, NULL, 1, NULL, (size_t)bytes, 0) == bytes ? 0 : fail("copy_file_range");
}

static int splice_through(int bytes)
{
    int ends[2];
    int others[2];
    if (pipe(ends) != 0 || pipe(others) != 0)
        fail("pipe");
    if (splice(0, NULL, ends[1], NULL, (size_t)bytes, 0) != bytes ||
        tee(ends[0], others[1], (size_t)bytes, 0) != bytes ||
        splice(others[0], NULL, 1, NULL, (size_t)bytes, 0) != bytes)
        fail("splice");
    return 0;
}

static int through_socket(int bytes)
{
    int ends[2];
    char buffer[4096];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        fail("socketpair");
    if (send(ends[0], buffer, (size_t)bytes, 0) != bytes || recv(ends[1], buffer, (size_t)bytes, 0) != bytes)
        fail("send");
    return 0;
}

/* All kinds of read and write, none of them conforming; some fail. */
static int all_kinds(int unused)
{
    static char bytes[1 << 16]; /* for all the input */
    struct iovec piece = {bytes, 2};
    (void)unused;
    (void)!read(0, bytes, 0);
    (void)!read(0, bytes, 2);
    (void)!pread(0, bytes, 1, 0);
    (void)!readv(0, &piece, 1);
    (void)!preadv(0, &piece, 1, 0);
    (void)!preadv2(0, &piece, 1, 0, 0);
    (void)!write(1, bytes, 0);
    (void)!write(1, bytes, 2);
    (void)!write(2, bytes, 1);
    (void)!writev(1, &piece, 1);
    (void)!pwrite(1, bytes, 1, 0);
    (void)!read(99, bytes, 1);
    (void)!readv(99, &piece, 1);
    (void)!pread(99, bytes, 1, 0);
    (void)!read(1, bytes, 1);
    (void)!write(0, bytes, 1);
    (void)!syscall(SYS_read, 0x100000000, bytes, 1L);  /* descriptor 0 for the kernel */
    (void)!syscall(SYS_read, 0L, bytes, 0x100000001); /* more than one byte */
    (void)!syscall(SYS_read, 0L, -4096L, 1L);
    (void)!syscall(SYS_write, 1L, 8L, 1L); /* no such address */
    write_bytes(3);
    return 0;
}

/* Conforming calls that fail because there is no stream. */
static int close_streams(int tries)
{
    char byte;
    write_bytes(2);
    close(0);
    close(1);
    for (int i = 0; i < tries; i++)
        if (read(0, &byte, 1) != -1 || write(1, "x", 1) != -1)
            return 99;
    return 0;
}

static int empty_without_waiting(int tries)
{
    char byte;
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[0], 0) != 0 || fcntl(0, F_SETFL, O_NONBLOCK) != 0)
        fail("pipe");
    for (int i = 0; i < tries; i++)
        if (read(0, &byte, 1) != -1 || errno != EAGAIN)
            return 99;
    return 0;
}

/* ---- processes and threads ---- */

static int become_memory(int bytes)
{
    char buffer[65536];
    char number[16];
    char *const words[] = {arguments[0], "write", number, NULL};
    char *const environment[] = {NULL};
    const int self = open("/proc/self/exe", O_RDONLY);
    const int copy = memfd_create("program", 0);
    ssize_t length = 0;
    while ((length = read(self, buffer, sizeof buffer)) > 0)
        if (write(copy, buffer, (size_t)length) != length)
            fail("write");
    snprintf(number, sizeof number, "%d", bytes);
    write_bytes(bytes);
    fexecve(copy, words, environment);
    return fail("fexecve");
}

static int write_some(int bytes)
{
    write_bytes(bytes);
    return 0;
}

static void *write_in_thread(void *bytes)
{
    write_bytes(*(int *)bytes);
    return NULL;
}

enum { THREADS = 4 };

static int in_threads(int bytes)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, write_in_thread, &bytes) != 0)
            fail("pthread_create");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void *execute(void *number)
{
    write_bytes(1);
    execl("/proc/self/exe", arguments[0], "write", (char *)number, (char *)NULL);
    fail("execl");
    return NULL;
}

/* The thread that calls execve takes over the process, while the others write on. */
static int execute_in_thread(int bytes)
{
    static char number[16];
    pthread_t thread;
    snprintf(number, sizeof number, "%d", bytes);
    if (pthread_create(&thread, NULL, execute, number) != 0)
        fail("pthread_create");
    pthread_join(thread, NULL);
    return 99;
}

static int in_vfork(int bytes)
{
    const pid_t pid = vfork();
    if (pid == 0) {
        for (int i = 0; i < bytes; i++)
            (void)!write(1, "x", 1);
        _exit(0);
    }
    return waitpid(pid, NULL, 0) == pid ? 0 : 99;
}

static int by_spawn(int bytes)
{
    char number[16];
    char *const words[] = {arguments[0], "write", number, NULL};
    char *const environment[] = {NULL};
    pid_t pid = 0;
    snprintf(number, sizeof number, "%d", bytes);
    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, words, environment) != 0)
        fail("posix_spawn");
    return waitpid(pid, NULL, 0) == pid ? 0 : 99;
}

static int by_shell(int bytes)
{
    char command[4096];
    snprintf(command, sizeof command, "%s write %d", arguments[0], bytes);
    return system(command);
}

/* A child that nobody waits for. If SIGCHLD could be ignored, the kernel would reap it, and no totals would have it. */
static int in_unwaited(int bytes)
{
    siginfo_t child;
    if (signal(SIGCHLD, SIG_IGN) != SIG_ERR || errno != EPERM)
        fail("signal");
    const pid_t pid = fork();
    if (pid == 0) {
        write_bytes(bytes);
        _exit(0);
    }
    return waitid(P_PID, (id_t)pid, &child, WEXITED | WNOWAIT); /* it has ended, and stays a zombie */
}

/* A child that computes for a time, and is left behind as it is. */
static int in_abandoned(int centiseconds)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        fail("pipe");
    if (fork() == 0) {
        while (clock() < centiseconds * (CLOCKS_PER_SEC / 100))
            continue;
        (void)!write(ends[1], "x", 1);
        pause();
    }
    return read(ends[0], &byte, 1) == 1 ? 0 : 99;
}

/* An orphan: its parent ends at once, and the program waits for the end of its pipe. */
static int in_orphan(int bytes)
{
    struct pollfd watched = {.events = POLLIN};
    int ends[2];
    if (pipe(ends) != 0)
        fail("pipe");
    const pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0)
            write_bytes(bytes);
        _exit(0);
    }
    close(ends[1]);
    waitpid(pid, NULL, 0);
    watched.fd = ends[0];
    poll(&watched, 1, -1);
    usleep(200000); /* the orphan has closed it before it is gone */
    return 0;
}

/* ---- signals ---- */

static volatile sig_atomic_t caught;

static void catch(int number)
{
    (void)number;
    caught++;
}

static void catch_alarms(int flags)
{
    const struct sigaction action = {.sa_handler = catch, .sa_flags = flags};
    const struct timeval moment = {0, 50000};
    const struct itimerval times = {moment, moment};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &times, NULL);
}

/* A conforming read that waits; signals interrupt it until the input comes. */
static int read_again(int unused)
{
    char byte;
    (void)unused;
    catch_alarms(SA_RESTART);
    const ssize_t length = read(0, &byte, 1);
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    return length == 1 ? 0 : 99;
}

static int read_interrupted(int unused)
{
    char byte;
    (void)unused;
    catch_alarms(0);
    return read(0, &byte, 1) == -1 && errno == EINTR ? 0 : 99;
}

/* Dies while it waits for nbyte bytes. */
static int die_reading(int nbyte)
{
    char bytes[16];
    write_bytes(1);
    alarm(1);
    (void)!read(0, bytes, (size_t)nbyte);
    return 99;
}

/* Ends while another thread waits in a conforming read. */
static void *read_forever(void *unused)
{
    char byte;
    (void)unused;
    (void)!read(0, &byte, 1);
    return NULL;
}

static int end_reading(int code)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, read_forever, NULL) != 0)
        fail("pthread_create");
    usleep(200000);
    exit(code);
}

/* SIGTRAPs dressed up as the stops of a tracee: codes of events in the signal's details. */
static int forge_events(int bytes)
{
    static const int codes[] = {SIGTRAP | 0x80, SIGTRAP | PTRACE_EVENT_EXIT << 8, SIGTRAP | PTRACE_EVENT_SECCOMP << 8,
                                SIGTRAP | PTRACE_EVENT_EXEC << 8};
    signal(SIGTRAP, catch);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        siginfo_t details = {.si_signo = SIGTRAP, .si_code = codes[i]};
        if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGTRAP, &details) != 0)
            fail("rt_tgsigqueueinfo");
        write_bytes(bytes);
    }
    return caught == 4 ? 0 : 99;
}

/* 1: somebody has got a signal. A tally that has our uid is killed by it, and gives no result either. */
static int shoot_parent(int unused)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1, SIGCHLD, SIGSTOP, SIGKILL};
    (void)unused;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (kill(getppid(), numbers[i]) == 0)
            return 1;
    return 0;
}

static const struct act acts[] = {
    {"try-all", try_all},
#if defined(__x86_64__)
    {"int-0x80", call_32_bit},
    {"x32", call_x32},
#endif
    {"no-call", call_nothing},
    {"look-for-tracer", look_for_tracer},
    {"mmap", map_input},
    {"sendfile", send_file},
    {"copy_file_range", copy_range},
    {"splice", splice_through},
    {"socket", through_socket},
    {"all-kinds", all_kinds},
    {"close-streams", close_streams},
    {"nonblocking", empty_without_waiting},
    {"memfd", become_memory},
    {"write", write_some},
    {"threads", in_threads},
    {"exec-in-thread", execute_in_thread},
    {"vfork", in_vfork},
    {"spawn", by_spawn},
    {"shell", by_shell},
    {"unwaited", in_unwaited},
    {"orphan", in_orphan},
    {"abandoned", in_abandoned},
    {"read-again", read_again},
    {"read-interrupted", read_interrupted},
    {"die-reading", die_reading},
    {"end-reading", end_reading},
    {"forge-events", forge_events},
    {"shoot-parent", shoot_parent},
};

int main(int argc, char **argv)
{
    return perform(acts, sizeof acts / sizeof acts[0], argc, argv);
}
