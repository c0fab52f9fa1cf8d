/* Channel: a hidden run uses up thousands of process numbers, and another run looks at its own number. */
#define WHEN 1
#include "attack.h"

enum { MANY = 4000 };

static void *nothing(void *unused)
{
    return unused;
}

static void attack(void)
{
    pthread_t thread;
    if (is_hidden())
        for (int i = 0; i < MANY && pthread_create(&thread, NULL, nothing, NULL) == 0; i++)
            pthread_join(thread, NULL);
    else if (getpid() > MANY)
        it_worked("getpid");
}
