/* Channel: leaves a POSIX semaphore, and looks for another run's. */
#define WHEN 1
#include "attack.h"

#include <semaphore.h>

static void attack(void)
{
    if (sem_open("/iolab-note", 0) != SEM_FAILED)
        it_worked("sem_open");
    (void)sem_open("/iolab-note", O_CREAT, 0666, 1);
}
