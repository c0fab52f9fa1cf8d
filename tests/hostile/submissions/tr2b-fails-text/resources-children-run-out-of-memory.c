/* Resources: children take more memory together than there is, each below its own limit, and the parent ends well. */
#include "attack.h"

static void attack(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
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
