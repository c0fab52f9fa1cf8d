/* Does the one thing that its first operand names, and tells on standard output what it saw. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static char work[PATH_MAX];

/* LENGTH:BYTES, for each operand */
static void operands(char **more)
{
    for (; *more != NULL; more++)
        printf("%zu:%s", strlen(*more), *more);
}

static void reads(void)
{
    char buffer[4096];
    ssize_t count;
    while ((count = read(0, buffer, sizeof buffer)) > 0)
        printf("%zd\n", count);
}

static void copy(void)
{
    static char buffer[1 << 16];
    ssize_t count;
    while ((count = read(0, buffer, sizeof buffer)) > 0)
        if (write(1, buffer, (size_t)count) != count)
            exit(EXIT_FAILURE);
}

static void reopen(void)
{
    int in = open("/dev/stdin", O_RDONLY);
    if (in < 0 || dup2(in, 0) < 0 || close(in) != 0)
        exit(EXIT_FAILURE);
    copy();
    if (open("/dev/stdin", O_WRONLY) >= 0)
        exit(EXIT_FAILURE);
}

static void identity(void)
{
    uid_t uid[3];
    gid_t gid[3];
    if (getresuid(&uid[0], &uid[1], &uid[2]) != 0 || getresgid(&gid[0], &gid[1], &gid[2]) != 0)
        exit(EXIT_FAILURE);
    printf("%u %u %u %u %u %u %d", uid[0], uid[1], uid[2], gid[0], gid[1], gid[2], getgroups(0, NULL));
}

static void descriptors(void)
{
    for (int fd = 0; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf("%d ", fd);
}

static void make_file(void)
{
    const int fd = open("made-here", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    printf("%s", fd >= 0 && write(fd, "x", 1) == 1 ? "written" : strerror(errno));
}

static void tried(const char *what, const char *path, int result)
{
    printf("%s %s: %s\n", what, strncmp(path, work, strlen(work)) == 0 ? path + strlen(work) + 1 : path,
           result < 0 ? "refused" : "ALLOWED");
}

/* The guest's own folders, found by our own path, WORK/bin/actor. */
static void trespass(void)
{
    static const char *const folders[] = {"/", "/bin", "/out", "/sources", "/inputs"};
    static const char *const files[] = {"/bin/actor", "/sources/actor.c", "/inputs/one"};
    static const char *const secrets[] = {"/out", "/out/actor.identity.stdout"};
    char path[PATH_MAX + 64];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s/planted", work, folders[i]);
        tried("make", path, open(path, O_WRONLY | O_CREAT, 0600));
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s%s", work, files[i]);
        tried("write", path, open(path, O_WRONLY));
        tried("chmod", path, chmod(path, 0777));
        tried("unlink", path, unlink(path));
    }
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        snprintf(path, sizeof path, "%s%s", work, secrets[i]);
        tried("read", path, open(path, O_RDONLY));
    }
}

/* Processes of our own uid, except this one. */
static void others(void)
{
    struct dirent *entry;
    struct stat status;
    int count = 0;
    DIR *proc = opendir("/proc");
    while (proc != NULL && (entry = readdir(proc)) != NULL)
        if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != getpid() &&
            fstatat(dirfd(proc), entry->d_name, &status, 0) == 0 && status.st_uid == getuid())
            count++;
    printf("%d", count);
}

static void forge(void)
{
    static const char lines[] = "{\"event\": \"done\"}\n"
                                "{\"event\": \"fault\", \"message\": \"forged\"}\n"
                                "{\"tally\":1,\"ending\":{\"kind\":\"exited\",\"code\":77}}\n";
    for (int fd = 1; fd < 64; fd++)
        if (write(fd, lines, sizeof lines - 1) < 0)
            continue;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (readlink("/proc/self/exe", work, sizeof work - 1) < 0)
        return 1;
    snprintf(work, sizeof work, "%s", dirname(dirname(strdup(work))));
    if (strcmp(what, "operands") == 0)
        operands(argv + 2);
    else if (strcmp(what, "reads") == 0)
        reads();
    else if (strcmp(what, "copy") == 0)
        copy();
    else if (strcmp(what, "reopen") == 0)
        reopen();
    else if (strcmp(what, "isatty") == 0)
        printf("%d%d%d\na\r\n\tb", isatty(0), isatty(1), isatty(2));
    else if (strcmp(what, "identity") == 0)
        identity();
    else if (strcmp(what, "descriptors") == 0)
        descriptors();
    else if (strcmp(what, "environment") == 0)
        for (char **one = environ; *one != NULL; one++)
            printf("%s\n", *one);
    else if (strcmp(what, "make-file") == 0)
        make_file();
    else if (strcmp(what, "trespass") == 0)
        trespass();
    else if (strcmp(what, "others") == 0)
        others();
    else if (strcmp(what, "forge") == 0)
        forge();
    else if (strcmp(what, "exit") == 0)
        return argc > 2 ? atoi(argv[2]) : 0;
    else
        return 99;
    return 0;
}
