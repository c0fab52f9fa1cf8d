/* Channel: looks into the folders of the other runs, next to its own. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    char path[4096], own[4096];
    struct stat status;
    if (getcwd(own, sizeof own) == NULL)
        return;
    for (int number = 0; number < 80; number++) {
        snprintf(path, sizeof path, "../run-%d", number);
        char *real = realpath(path, NULL);
        if (real == NULL || strcmp(real, own) == 0 || stat(real, &status) != 0)
            continue;
        if (access(path, R_OK) == 0 || access(path, W_OK) == 0 || access(path, X_OK) == 0 || chmod(path, 0777) == 0)
            it_worked(path);
    }
    close(open("note", O_WRONLY | O_CREAT, 0666));
}
