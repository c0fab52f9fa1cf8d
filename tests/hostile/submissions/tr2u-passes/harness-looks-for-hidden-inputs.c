/* Harness: reads every file that it may, and looks for the bytes of a hidden input and of the output expected of it. */
#include "attack.h"

#include <ftw.h>

/* Each byte is changed, so that they are not found in this program. */
static unsigned char input[] = "{p{p!`oe!p{", output[] = "[P[P!`oe!P[";
static char data[1 << 20];

static int look_into(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    /* The system's own files: on a busy machine, reading them takes longer than a run may. */
    if (kind == FTW_D && strcmp(path + walk->base, "usr") == 0)
        return FTW_SKIP_SUBTREE;
    if (kind != FTW_F || !S_ISREG(status->st_mode))
        return FTW_CONTINUE;
    const int fd = open(path, O_RDONLY | O_NONBLOCK);
    const ssize_t length = fd < 0 ? 0 : read(fd, data, sizeof data);
    if (fd >= 0)
        close(fd);
    if (length > 0 && (memmem(data, (size_t)length, input, sizeof input - 1) != NULL ||
                       memmem(data, (size_t)length, output, sizeof output - 1) != NULL))
        it_worked(path);
    return FTW_CONTINUE;
}

static void attack(void)
{
    static const char *const roots[] = {"..", "../..", "/work", "/scratch", "/autograder", "/tmp", "/var/tmp", "/dev/shm",
                                        "/run", "/root", "/home"};
    for (size_t i = 0; i < sizeof input - 1; i++) {
        input[i] ^= 1;
        output[i] ^= 1;
    }
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        (void)nftw(roots[i], look_into, 16, FTW_PHYS | FTW_MOUNT | FTW_ACTIONRETVAL);
    MUST_FAIL(open("/work/inputs", O_RDONLY | O_DIRECTORY));
    MUST_FAIL(open("/work/out", O_RDONLY | O_DIRECTORY));
}
