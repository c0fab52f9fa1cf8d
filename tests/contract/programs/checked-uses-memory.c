/* Uses as much memory as there is: without a limit on the address space, another limit has to end it. */
#include <stdlib.h>
#include <string.h>

int main(void)
{
    enum { BLOCK = 1 << 24 };
    for (;;) {
        char *block = malloc(BLOCK);
        if (block != NULL)
            memset(block, 1, BLOCK);
    }
}
