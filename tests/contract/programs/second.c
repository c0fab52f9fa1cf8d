/* A second thread executes the program again, which then copies one byte per call. Meanwhile the leading thread waits, or
 * is busy with two others. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char **words;

static void *execute(void *unused)
{
    usleep(50000); /* until the others do what they do */
    execl("/proc/self/exe", words[0], (char *)NULL);
    return unused;
}

static void *be_busy(void *unused)
{
    for (;;)
        if (getppid() < 0)
            return unused;
}

int main(int argc, char **argv)
{
    pthread_t second;
    pthread_t others[2];
    char byte;
    words = argv;
    while (argc == 1 && read(0, &byte, 1) == 1)
        if (write(1, &byte, 1) != 1)
            return 1;
    if (argc == 1)
        return 0;
    if (pthread_create(&second, NULL, execute, NULL) != 0)
        return 1;
    for (int i = 0; strcmp(argv[1], "busy") == 0 && i < 2; i++)
        if (pthread_create(&others[i], NULL, be_busy, NULL) != 0)
            return 1;
    if (strcmp(argv[1], "busy") == 0)
        be_busy(NULL);
    pthread_join(second, NULL);
    return 99;
}
