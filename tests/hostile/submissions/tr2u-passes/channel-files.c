/* Channel: leaves files, folders, links and FIFOs wherever it may, and looks for another run's. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    static const char *const folders[] = {".", "..", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock",
                                          "/run/user", "/var/lock", "/var/crash", "/dev", "/work", "/work/out", "/scratch",
                                          "/", "/home", "/opt", "/autograder"};
    static const char *const kinds[] = {"file", "folder", "link", "fifo"};
    struct stat status;
    char path[200];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for (size_t kind = 0; kind < 4; kind++) {
            snprintf(path, sizeof path, "%s/iolab-note-%s", folders[i], kinds[kind]);
            if (lstat(path, &status) == 0)
                it_worked(path);
            if (kind == 0)
                close(open(path, O_WRONLY | O_CREAT, 0666));
            else if (kind == 1)
                (void)mkdir(path, 0777);
            else if (kind == 2)
                (void)!symlink("/etc/passwd", path);
            else
                (void)mkfifo(path, 0666);
        }
}
