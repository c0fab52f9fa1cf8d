/* Resources: leaves links out of its folder, and files whose names are options, orders for a terminal or no text. */
#include "attack.h"

static void attack(void)
{
    static const char *const names[] = {"-rf", "--", "a\nb", "\033[2J\033]0;owned\007", "\xff\xfe", "$(id)", "`id`",
                                        "=1+1", " ", "*", "\\", "report.json", ".nfs0001"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        close(open(names[i], O_WRONLY | O_CREAT, 0600));
    (void)!symlink("/", "root");
    (void)!symlink("/etc/passwd", "passwd");
    (void)!symlink("../..", "up");
    (void)!symlink("loop", "loop");
    (void)mkfifo("fifo", 0666);
    (void)mknod("socket", S_IFSOCK | 0666, 0);
}
