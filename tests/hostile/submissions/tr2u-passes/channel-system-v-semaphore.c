/* Channel: leaves a number in a System V semaphore, and looks for another run's. */
#define WHEN 1
#include "attack.h"

#include <sys/sem.h>

static void attack(void)
{
    const int id = semget(0x10ab, 1, IPC_CREAT | 0666);
    if (id >= 0 && semctl(id, 0, GETVAL) == 77)
        it_worked("semctl");
    if (id >= 0)
        (void)semctl(id, 0, SETVAL, 77);
}
