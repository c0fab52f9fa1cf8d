/* Landlock: the program can change files in one folder only.
 *
 * Otherwise a run could leave a note in /tmp, /dev/shm or /dev/mqueue for another run or another submission, and could
 * write to /proc/self/oom_score_adj, so that the kernel ends the guest instead of the program when memory runs out.
 * With the program go its children, and nobody can undo it. Reading is as free as before, and so are descriptors that
 * are open already.
 *
 * Landlock needs no privilege, only no_new_privs. Kernels before 5.13 lack it, some kernels and containers have it
 * switched off, and each version has more rights to take away than the one before. Where it is missing, the modes of
 * files decide alone. */
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than some systems' headers: see linux/landlock.h. The numbers are the same on every architecture. */
enum {
    NR_LANDLOCK_CREATE_RULESET = 444,
    NR_LANDLOCK_ADD_RULE = 445,
    NR_LANDLOCK_RESTRICT_SELF = 446,
    ASK_VERSION = 1,
    PATH_BENEATH = 1,
};
enum {
    WRITE_FILE = 1 << 1,
    REMOVE_AND_MAKE = 0x1ff0, /* all kinds of files and folders */
    REFER = 1 << 13,          /* rename and link between folders; version 2 */
    TRUNCATE = 1 << 14,       /* version 3 */
    SCOPE_SOCKETS_AND_SIGNALS = 3,
    VERSION_OF_SCOPES = 6,
};
struct ruleset {
    uint64_t files, network, scopes;
};
struct beneath {
    uint64_t rights;
    int32_t fd;
} __attribute__((packed));

/* Devices that keep nothing; shells and compilers expect to write to them. */
static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"};

static int allow(int ruleset, const char *path, uint64_t rights)
{
    const int fd = open(path, O_PATH | O_CLOEXEC);
    const struct beneath rule = {rights, fd};
    if (fd < 0)
        return -1;
    const long done = syscall(NR_LANDLOCK_ADD_RULE, ruleset, PATH_BENEATH, &rule, 0);
    (void)close(fd);
    return (int)done;
}

/* The child still has its own signals within reach, and tally, which is outside, can signal it as before. */
int confine_writing(const struct plan *plan)
{
    const long version = syscall(NR_LANDLOCK_CREATE_RULESET, NULL, 0, ASK_VERSION);
    const uint64_t rights = WRITE_FILE | REMOVE_AND_MAKE | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
    const struct ruleset wanted = {rights, 0, SCOPE_SOCKETS_AND_SIGNALS};
    const size_t known_bytes = version >= VERSION_OF_SCOPES ? sizeof wanted : sizeof wanted.files;
    if (!plan->given[WRITABLE] || version < 1)
        return 0;
    const int ruleset = (int)syscall(NR_LANDLOCK_CREATE_RULESET, &wanted, known_bytes, 0);
    if (ruleset < 0)
        return -1;
    for (size_t i = 0; i < LENGTH(devices); i++)
        if (allow(ruleset, devices[i], rights & (WRITE_FILE | TRUNCATE)) != 0 && errno != ENOENT)
            return -1;
    if (allow(ruleset, plan->writable, rights) != 0)
        return -1;
    const long done = syscall(NR_LANDLOCK_RESTRICT_SELF, ruleset, 0);
    (void)close(ruleset);
    return (int)done;
}
