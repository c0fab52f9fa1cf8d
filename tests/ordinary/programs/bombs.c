/* Forks as a beginner's loop does, and says in how many processes that ended. What is born ends by itself in five minutes. */
#include <unistd.h>

int main(void)
{
    for (;;)
        if (fork() == 0)
            (void)alarm(300);
}
