/* Takes memory in many processes, each below its own limit. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void act(void)
{
    for (int i = 0; i < 5; i++)
        fork();
    for (int i = 0; i < 200; i++) {
        char *block = malloc(1 << 20);
        if (block != NULL)
            memset(block, 1, 1 << 20);
    }
    sleep(5);
}
