/* Channel: leaves a note in System V shared memory, and looks for another run's. */
#define WHEN 1
#include "attack.h"

#include <sys/shm.h>

static void attack(void)
{
    const int id = shmget(0x10ab, 4096, IPC_CREAT | 0666);
    char *memory = id < 0 ? (char *)-1 : shmat(id, NULL, 0);
    if (memory == (char *)-1)
        return;
    if (strcmp(memory, "note") == 0)
        it_worked("shmat");
    strcpy(memory, "note");
}
