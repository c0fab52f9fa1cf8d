/* Leaves a child that ignores every signal it can, holds standard output open, and ends by itself in five minutes. */
#include <signal.h>
#include <unistd.h>

int main(void)
{
    if (fork() != 0)
        return 0;
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_IGN);
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm(300);
    for (;;)
        (void)pause();
}
