/* Uses up the container's memory, after asking that the kernel ends others first: in many small processes, or in a file
 * in memory, which no process is blamed for. Says on standard error if its wish was granted. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PROCESSES = 55, BLOCKS = 30, BLOCK_BYTES = 1 << 20, HIGHEST_SCORE = 1000 };

/* As low as may be: without a privilege, a process cannot go below what it was started with. */
static void ask_to_be_spared(void)
{
    for (int score = 0; score < HIGHEST_SCORE; score += 50) {
        char text[8];
        const int fd = open("/proc/self/oom_score_adj", O_WRONLY);
        snprintf(text, sizeof text, "%d", score);
        if (fd >= 0 && write(fd, text, strlen(text)) > 0) {
            fprintf(stderr, "score %d\n", score);
            close(fd);
            return;
        }
        close(fd);
    }
}

static void take_little(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        char *block = malloc(BLOCK_BYTES);
        if (block != NULL)
            memset(block, 1, BLOCK_BYTES);
        usleep(10000); /* so that all grow at the same time */
    }
    sleep(3);
    _exit(0);
}

int main(int argc, char **argv)
{
    static char block[BLOCK_BYTES];
    ask_to_be_spared();
    if (argc > 1 && strcmp(argv[1], "crowd") == 0) {
        for (int i = 0; i < PROCESSES; i++)
            if (fork() == 0)
                take_little();
        sleep(5);
        return 0;
    }
    memset(block, 1, sizeof block);
    for (int fd = memfd_create("memory", 0); write(fd, block, sizeof block) > 0;)
        continue;
    return 0;
}
