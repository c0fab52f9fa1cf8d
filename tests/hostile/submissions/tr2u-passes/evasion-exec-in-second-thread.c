/* Evasion: a second thread executes the program again, which then does what it should. */
#include "attack.h"

static void *execute(void *unused)
{
    extern char **environ;
    (void)unused;
    setenv("AGAIN", "1", 1);
    execve("/proc/self/exe", operands, environ);
    it_worked("execve failed");
    return NULL;
}

static void attack(void)
{
    pthread_t thread;
    if (getenv("AGAIN") == NULL && pthread_create(&thread, NULL, execute, NULL) == 0)
        pthread_join(thread, NULL);
}
