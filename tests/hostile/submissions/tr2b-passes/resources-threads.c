/* Resources: makes threads until it gets no more. */
#include "attack.h"

static void *wait_for_long(void *unused)
{
    sleep_for_long();
    return unused;
}

static void attack(void)
{
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (int i = 0; i < 10000 && pthread_create(&thread, &small, wait_for_long, NULL) == 0; i++)
        continue;
}
