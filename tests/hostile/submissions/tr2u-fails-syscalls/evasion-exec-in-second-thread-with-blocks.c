/* Evasion: a second thread executes the program again, which then copies all at once. */
#include "translate.h"

#include <pthread.h>

static char **operands;

static void *execute(void *unused)
{
    extern char **environ;
    (void)unused;
    setenv("AGAIN", "1", 1);
    execve("/proc/self/exe", operands, environ);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    long long size = input_size();
    operands = argv;
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
    } else if (getenv("AGAIN") == NULL) {
        pthread_create(&thread, NULL, execute, NULL);
        pthread_join(thread, NULL);
    } else {
        copy_at_once((size_t)size);
    }
    return 0;
}
