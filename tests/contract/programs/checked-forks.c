/* Starts processes until it is refused, each with memory of its own; exits with their number. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    enum { MOST = 40, MEMORY = 1 << 24, LIFE_S = 60 };
    pid_t children[MOST];
    int count = 0;
    alarm(LIFE_S);
    while (count < MOST && (children[count] = fork()) > 0)
        count++;
    if (count < MOST && children[count] == 0) {
        char *memory = malloc(MEMORY);
        if (memory != NULL)
            memset(memory, 1, MEMORY);
        alarm(LIFE_S);
        for (;;)
            pause();
    }
    for (int i = 0; i < count; i++)
        kill(children[i], SIGKILL);
    return count;
}
