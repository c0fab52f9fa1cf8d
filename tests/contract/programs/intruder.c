/* Looks for ways out, and tells on standard output which it found: one line per way, and none if there is none. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void look_into(const char *pid)
{
    static const char *const files[] = {"environ", "mem", "maps", "fd/0", "io"};
    char path[300];
    if (kill(atoi(pid), 0) == 0)
        printf("%s may be signalled\n", pid);
    if (ptrace(PTRACE_SEIZE, atoi(pid), NULL, NULL) == 0)
        printf("%s may be traced\n", pid);
    if (prlimit(atoi(pid), RLIMIT_CPU, &(struct rlimit){1, 1}, NULL) == 0)
        printf("%s may be limited\n", pid);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "/proc/%s/%s", pid, files[i]);
        if (open(path, O_RDONLY | O_NONBLOCK) >= 0)
            printf("%s may be read\n", path);
    }
}

/* Every process of another uid. */
static void processes(void)
{
    struct dirent *entry;
    struct stat status;
    int seen = 0;
    DIR *proc = opendir("/proc");
    while (proc != NULL && (entry = readdir(proc)) != NULL)
        if (atoi(entry->d_name) > 0 && fstatat(dirfd(proc), entry->d_name, &status, 0) == 0 &&
            status.st_uid != getuid()) {
            seen++;
            look_into(entry->d_name);
        }
    fprintf(stderr, "%d", seen);
}

static int report_writable(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)walk;
    if (kind == FTW_D && access(path, W_OK) == 0)
        printf("%s\n", path);
    if (kind == FTW_F && S_ISREG(status->st_mode) && access(path, W_OK) == 0)
        printf("%s\n", path);
    if (kind == FTW_F && (S_ISBLK(status->st_mode) || (S_ISSOCK(status->st_mode) && access(path, W_OK) == 0)))
        printf("%s\n", path);
    return 0;
}

/* Everything that may be written to, of this and all mounted file systems but /proc. */
static void writable(void)
{
    static const char *const roots[] = {"/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/media", "/mnt",
                                        "/opt", "/root", "/run", "/sbin", "/scratch", "/srv", "/sys", "/tmp", "/usr",
                                        "/var", "/work"};
    if (access("/", W_OK) == 0)
        printf("/\n");
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        (void)nftw(roots[i], report_writable, 16, FTW_PHYS);
}

static void network(void)
{
    // Not if_nameindex: it asks over a netlink socket, and the guard refuses that.
    char line[256], name[64];
    FILE *file = fopen("/proc/net/dev", "r");
    const struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(53), .sin_addr = {inet_addr("1.1.1.1")}};
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strchr(line, '|') == NULL && sscanf(line, " %63[^:]:", name) == 1)
            printf("%s\n", name);
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&there, sizeof there) == 0)
        printf("connected\n");
    if (socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0)
        printf("raw\n");
}

static void status(void)
{
    char line[200];
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "Cap", 3) == 0 || strncmp(line, "NoNewPrivs", 10) == 0)
            fputs(line, stdout);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "processes") == 0)
        processes();
    else if (strcmp(what, "writable") == 0)
        writable();
    else if (strcmp(what, "network") == 0)
        network();
    else if (strcmp(what, "status") == 0)
        status();
    else
        return 99;
    return 0;
}
