/* Which calls failed because of what is around the program: Landlock, the closed folder of runs, files that it was
 * given and that belong to another uid, hard limits, and the lack of a terminal. What fails for every ordinary user
 * does not count: a place must be one that its mode lets the program change, or a folder above its own, where its
 * author's files would be.
 *
 * Meanwhile tally has the program's ids for files, so it finds what the program finds, and Landlock is not in its
 * way. */
#include "refusals.h"

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What a call does to the file that it names: MAKES is for what changes the folder that contains it. */
enum use { NO_USE, LOOKS, WRITES, MAKES };

struct named {
    enum use use;
    int folder, path; /* as in file_calls.h */
};

static enum use use_by_flags(unsigned long long flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0 ? WRITES : LOOKS;
}

static enum use use_by_right(unsigned long long right)
{
    return (right & W_OK) != 0 ? WRITES : LOOKS;
}

static struct named named_by(const struct call *call)
{
    switch (call->number) {
#ifdef SYS_open
    case SYS_open:
        return (struct named){use_by_flags(call->arguments[1]), -1, 0};
    case SYS_access:
        return (struct named){use_by_right(call->arguments[1]), -1, 0};
#endif
    case SYS_openat:
        return (struct named){use_by_flags(call->arguments[2]), 0, 1};
    case SYS_faccessat:
#ifdef SYS_faccessat2
    case SYS_faccessat2:
#endif
        return (struct named){use_by_right(call->arguments[2]), 0, 1};
#define F(name, use, folder, path)                                                                                 \
    case SYS_##name:                                                                                               \
        return (struct named){use, folder, path};
#include "file_calls.h"
#undef F
    default:
        return (struct named){NO_USE, 0, 0};
    }
}

static bool read_word(pid_t tid, unsigned long long address, unsigned long *word)
{
    errno = 0;
    *word = (unsigned long)ptrace(PTRACE_PEEKDATA, tid, address, NULL);
    return errno == 0;
}

/* Read the path that the program gave, which is empty if it gave none; return false if it cannot be read. */
static bool read_path(pid_t tid, unsigned long long address, char path[PATH_MAX])
{
    size_t length = 0;
    unsigned long word = 0;
    path[0] = '\0';
    if (address == 0)
        return true;
    while (length + sizeof word < PATH_MAX && read_word(tid, address + length, &word)) {
        memcpy(path + length, &word, sizeof word);
        if (memchr(path + length, '\0', sizeof word) != NULL)
            return true;
        length += sizeof word;
    }
    return false;
}

/* Write the path under which tally finds the file; return false if it is too long. */
static bool write_path(char found[PATH_MAX], pid_t tid, int folder, const char *path)
{
    static const char own[] = "/proc/self/";
    int length = 0;
    if (strncmp(path, own, strlen(own)) == 0)
        length = snprintf(found, PATH_MAX, "/proc/%d/%s", tid, path + strlen(own));
    else if (path[0] == '/')
        length = snprintf(found, PATH_MAX, "%s", path);
    else if (folder == AT_FDCWD)
        length = snprintf(found, PATH_MAX, "/proc/%d/cwd/%s", tid, path);
    else
        length = snprintf(found, PATH_MAX, "/proc/%d/fd/%d%s%s", tid, folder, path[0] == '\0' ? "" : "/", path);
    return length < PATH_MAX;
}

static bool is_same(const struct stat *file, const struct stat *other)
{
    return file->st_dev == other->st_dev && file->st_ino == other->st_ino;
}

/* Return whether a folder contains the program's own. A path that climbs to the root would end elsewhere on other
 * machines; any other path to the root would not. */
static bool is_above(const struct run *run, const struct stat *folder, const char *given)
{
    char path[PATH_MAX];
    struct stat above;
    struct stat root;
    if (!run->plan.given[WRITABLE] || stat("/", &root) != 0)
        return false;
    size_t length = (size_t)snprintf(path, sizeof path, "%s", run->plan.writable);
    while (length + sizeof "/.." <= sizeof path) {
        length += (size_t)snprintf(path + length, sizeof path - length, "/..");
        if (stat(path, &above) != 0)
            return false;
        if (is_same(&above, folder))
            return !is_same(&above, &root) || strncmp(given, "..", 2) == 0;
        if (is_same(&above, &root))
            return false;
    }
    return false;
}

static bool is_standard_stream(const struct stat *file)
{
    struct stat stream;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &stream) == 0 && is_same(&stream, file))
            return true;
    return false;
}

static bool is_own(const struct run *run, const struct stat *file)
{
    return file->st_uid == (run->plan.given[UID] ? (uid_t)run->plan.number[UID] : getuid());
}

/* Return whether every user may write there, or would if Gradescope's container had not been closed: such folders are
 * sticky. */
static bool allows_to_write(const struct run *run, const struct stat *place)
{
    const mode_t write = is_own(run, place) ? S_IWUSR : S_IWOTH;
    if (!S_ISDIR(place->st_mode))
        return (place->st_mode & write) != 0;
    const mode_t search = is_own(run, place) ? S_IXUSR : S_IXOTH;
    return (place->st_mode & search) != 0 && (place->st_mode & (write | S_ISVTX)) != 0;
}

/* Return whether this is the program's folder or a file that was put into it: they belong to another uid, and every
 * user may change what is in them. */
static bool is_given(const struct run *run, const struct stat *file)
{
    return (S_ISREG(file->st_mode) || S_ISDIR(file->st_mode)) && !is_own(run, file) &&
           (file->st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH;
}

/* Find what a call changes: the file, or the folder in which the file is or would be. */
static bool find_place(char *path, enum use use, struct stat *place)
{
    if (use != MAKES && stat(path, place) == 0)
        return true;
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    char *slash = strrchr(path, '/');
    if (use == LOOKS || slash == NULL)
        return false;
    slash[1] = '\0';
    return stat(path, place) == 0;
}

/* A call that names a file, and failed. */
struct failure {
    pid_t tid;
    const struct call *call;
    int error;
};

/* Return what was refused where one of the files is, and set the place to it. */
static enum refusal refusal_at(const struct run *run, const struct failure *failure, const struct named *named,
                               struct stat *place)
{
    char given[PATH_MAX] = "";
    char path[PATH_MAX];
    const enum use use = named->use;
    const int folder = named->folder >= 0 ? (int)failure->call->arguments[named->folder] : AT_FDCWD;
    if (named->path >= 0 && !read_path(failure->tid, failure->call->arguments[named->path], given))
        return NO_REFUSAL;
    if (!write_path(path, failure->tid, folder, given) || !find_place(path, use, place))
        return NO_REFUSAL;
    switch (failure->error) {
    case ENXIO:
        return place->st_rdev == makedev(5, 0) ? TERMINAL : NO_REFUSAL;
    case EPERM:
        return use != MAKES && is_given(run, place) ? GIVEN : NO_REFUSAL;
    default:
        if (use == LOOKS && is_above(run, place, given))
            return LISTED;
        if (is_standard_stream(place))
            return STREAM;
        return use != LOOKS && (allows_to_write(run, place) || is_above(run, place, given)) ? OUTSIDE : NO_REFUSAL;
    }
}

/* Kernels before 5.19 let no program under Landlock move a file to another folder. */
static enum refusal refusal_of_move(const struct run *run, const struct failure *failure, const struct named *from,
                                    const struct named *to)
{
    struct stat places[2];
    const enum refusal refusal = refusal_at(run, failure, to, &places[1]);
    if (refusal == NO_REFUSAL || refusal_at(run, failure, from, &places[0]) == NO_REFUSAL)
        return NO_REFUSAL;
    if (failure->error != EXDEV)
        return refusal;
    return places[0].st_dev == places[1].st_dev ? MOVED : NO_REFUSAL;
}

/* Return whether a call asks for more than the hard limit that the program got from us. A soft limit above it is
 * invalid. */
static bool exceeds_limit(const struct run *run, const struct failure *failure)
{
    const pid_t tid = failure->tid;
    const struct call *call = failure->call;
    const bool names_process = call->number == SYS_prlimit64;
    const unsigned long long resource = call->arguments[names_process ? 1 : 0];
    const unsigned long long address = call->arguments[names_process ? 2 : 1];
    unsigned long soft = 0;
    unsigned long hard = 0;
    struct rlimit own = {0};
    const bool is_hard = failure->error == EPERM;
    if (!is_hard && failure->error != EINVAL)
        return false;
    if ((names_process && call->arguments[0] != 0 && call->arguments[0] != (unsigned long long)tid &&
         call->arguments[0] != (unsigned long long)run->program_pid) ||
        !find_limit(&run->plan, resource, &own) || !read_word(tid, address, &soft) ||
        !read_word(tid, address + sizeof soft, &hard))
        return false;
    const unsigned long wanted = is_hard ? hard : soft;
    const bool counts = resource == RLIMIT_NOFILE || resource == RLIMIT_NPROC;
    return (is_hard || hard == own.rlim_max) && wanted > own.rlim_max && (!counts || wanted <= MOST_FILES_OR_PROCESSES);
}

/* Return what was refused by a call that failed. */
enum refusal refusal_of(const struct run *run, pid_t tid, const struct call *call, long long result)
{
    const struct failure failure = {tid, call, (int)-result};
    const struct named named = named_by(call);
    struct stat place;
    if (call->number == SYS_setrlimit || call->number == SYS_prlimit64)
        return exceeds_limit(run, &failure) ? RAISED : NO_REFUSAL;
    switch (failure.error) {
    case EACCES:
    case EPERM:
    case EROFS:
    case EXDEV:
    case ENXIO:
        break;
    default:
        return NO_REFUSAL;
    }
    switch (call->number) {
#ifdef SYS_rename
    case SYS_rename:
        return refusal_of_move(run, &failure, &(struct named){MAKES, -1, 0}, &named);
#endif
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2:
        return refusal_of_move(run, &failure, &(struct named){MAKES, 0, 1}, &named);
    default:
        return named.use == NO_USE || failure.error == EXDEV ? NO_REFUSAL : refusal_at(run, &failure, &named, &place);
    }
}
