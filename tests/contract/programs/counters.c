/* Tells numbers that every run shares with the runs before it, or moves them: `use` starts processes and fills the
 * folder. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 40, BYTES = 65536 };

int main(int argc, char **argv)
{
    static char block[BYTES];
    char name[16];
    struct statvfs space;
    struct stat folder;
    for (int i = 0; argc > 1 && strcmp(argv[1], "use") == 0 && i < TIMES; i++) {
        snprintf(name, sizeof name, "%d", i);
        const int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || write(fd, block, sizeof block) != sizeof block)
            return 1;
        if (fork() == 0)
            _exit(0);
        wait(NULL);
    }
    if (statvfs(".", &space) != 0 || stat(".", &folder) != 0)
        return 1;
    printf("%d pid\n%lu blocks\n%lu inodes\n%lu number\n", (int)getpid(), (unsigned long)space.f_bfree,
           (unsigned long)space.f_ffree, (unsigned long)folder.st_ino);
    return 0;
}
