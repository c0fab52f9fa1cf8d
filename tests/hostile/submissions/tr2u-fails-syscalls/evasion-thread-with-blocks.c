/* Evasion: a second thread copies all at once, while the first does nothing. */
#include "translate.h"

#include <pthread.h>

static void *copy(void *size)
{
    copy_at_once(*(size_t *)size);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    size_t size = (size_t)input_size();
    make_map(argc, argv);
    if ((long long)size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    pthread_create(&thread, NULL, copy, &size);
    pthread_join(thread, NULL);
    return 0;
}
