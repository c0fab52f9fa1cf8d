/* Resources: fills System V segments with memory that belongs to no process, so that the guest would be killed. */
#include "attack.h"

#include <sys/shm.h>

static void attack(void)
{
    for (int i = 0; i < 40; i++) {
        const int id = shmget(IPC_PRIVATE, 40 << 20, IPC_CREAT | 0666);
        char *memory = id < 0 ? (char *)-1 : shmat(id, NULL, 0);
        if (memory == (char *)-1)
            break;
        memset(memory, 1, 40 << 20);
        shmdt(memory);
    }
}
