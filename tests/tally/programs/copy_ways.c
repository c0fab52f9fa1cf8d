/* Copies a file one byte per call, and takes the input in another way as well. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4096 };
static char block[BYTES];

static void map(int fd)
{
    if (mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
        exit(98);
}

/* A child whose descriptors nobody may look at, because it may not read its own file. It maps what it has as its input. */
static void map_unreadable(void)
{
    char *const arguments[] = {"unreadable", "map-dup", NULL}, *const environment[] = {NULL};
    const pid_t pid = fork();
    int status = 1;
    if (pid == 0) {
        const int own = open("/proc/self/exe", O_RDONLY), copy = memfd_create("copy", 0);
        while (sendfile(copy, own, NULL, 1 << 20) > 0)
            ;
        if (fchmod(copy, 0111) == 0)
            fexecve(copy, arguments, environment);
        _exit(1);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0)
        exit(90);
}

/* A child without the standard streams: they are not its descriptors 0 and 1. */
static void start_child(void)
{
    const pid_t pid = fork();
    int status = 1;
    if (pid == 0) {
        close(0);
        close(1);
        (void)!open("/proc/self/exe", O_RDONLY);
        (void)!memfd_create("other", 0);
        (void)!read(0, block, BYTES);
        (void)!write(1, block, BYTES);
        close(0);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0)
        exit(95);
}

static void join_pipes(const char *way)
{
    int from[2], to[2];
    if (pipe(from) != 0 || pipe(to) != 0 || write(from[1], block, 1) != 1)
        exit(94);
    errno = 0;
    (void)!(strcmp(way, "tee") == 0 ? tee(from[0], to[1], 1, 0) : splice(from[0], NULL, to[1], NULL, 1, 0));
    if (errno != 0)
        exit(errno);
}

static void end_child(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    if (waitpid(pid, NULL, 0) != pid)
        exit(93);
}

static void send_nothing(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || sendmsg(ends[0], &(struct msghdr){0}, 0) != 0)
        exit(92);
}

static void ignore(int number)
{
    (void)number;
}

/* Calls that a timer interrupts if they take longer than usual. */
static void read_while_interrupted(void)
{
    const struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = ignore};
    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0)
        exit(91);
    for (int i = 0; i < 100; i++)
        (void)!read(0, block, 0);
    if (setitimer(ITIMER_REAL, &never, NULL) != 0)
        exit(91);
}

static void take(const char *way)
{
    ssize_t length = BYTES;
    if (strcmp(way, "read-dup") == 0)
        length = read(dup(0), block, BYTES);
    else if (strcmp(way, "read-reopened") == 0)
        length = read(open("/proc/self/fd/0", O_RDONLY), block, BYTES);
    else if (strcmp(way, "pread") == 0)
        length = pread(0, block, BYTES, 0);
    else if (strcmp(way, "map") == 0)
        map(0);
    else if (strcmp(way, "map-dup") == 0)
        map(dup(0));
    else if (strcmp(way, "map-other") == 0)
        map(open("/proc/self/exe", O_RDONLY));
    else if (strcmp(way, "map-reopened") == 0)
        map(open("/proc/self/fd/0", O_RDONLY));
    else if (strcmp(way, "map-unreadable") == 0)
        map_unreadable();
    else if (strcmp(way, "map-given") == 0)
        map(open("given", O_RDONLY));
    else if (strcmp(way, "map-nothing") == 0)
        (void)!mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0, 0);
    else if (strcmp(way, "read-other") == 0)
        length = read(open("/dev/zero", O_RDONLY), block, BYTES);
    else if (strcmp(way, "read-block") == 0)
        length = read(0, block, BYTES);
    else if (strcmp(way, "read-nothing") == 0)
        (void)!read(0, block, 0);
    else if (strcmp(way, "write-nothing") == 0)
        (void)!write(1, block, 0);
    else if (strcmp(way, "dup-other") == 0)
        close(dup(2));
    else if (strcmp(way, "fcntl-other") == 0)
        close(fcntl(2, F_DUPFD, 10));
    else if (strcmp(way, "fcntl-flags") == 0)
        fcntl(0, F_SETFL, fcntl(0, F_GETFL));
    else if (strcmp(way, "fork") == 0)
        end_child();
    else if (strcmp(way, "send") == 0)
        send_nothing();
    else if (strcmp(way, "fcntl") == 0)
        close(fcntl(0, F_DUPFD, 10));
    else if (strcmp(way, "splice") == 0 || strcmp(way, "tee") == 0)
        join_pipes(way);
    else if (strcmp(way, "child") == 0)
        start_child();
    else if (strcmp(way, "interrupted") == 0)
        read_while_interrupted();
    if (length != BYTES)
        exit(99);
    lseek(0, 0, SEEK_SET);
}

int main(int argc, char **argv)
{
    const int writes_again = argc > 1 && strcmp(argv[1], "write-dup") == 0;
    const int is_chatty = argc > 1 && strcmp(argv[1], "chatty") == 0;
    char c;
    take(argv[1]);
    while (read(0, &c, 1) == 1) {
        if (is_chatty)
            syscall(SYS_getppid);
        if (write(1, &c, 1) != 1)
            return 97;
    }
    if (writes_again && write(dup(1), block, BYTES) != BYTES)
        return 96;
    return 0;
}
