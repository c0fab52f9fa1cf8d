#include <unistd.h>

static void act(void)
{
    for (;;)
        fork();
}
