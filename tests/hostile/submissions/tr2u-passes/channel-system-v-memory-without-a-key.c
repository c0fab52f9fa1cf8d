/* Channel: leaves a note in System V memory without a key, and looks for another run's in the kernel's list. */
#define WHEN 1
#include "attack.h"

#include <sys/shm.h>

static void attack(void)
{
    struct shmid_ds about;
    for (int index = 0; index < 64; index++) {
        const int id = shmctl(index, SHM_STAT, &about);
        if (id >= 0 && about.shm_segsz == 4321)
            it_worked("shmctl");
    }
    (void)shmget(IPC_PRIVATE, 4321, IPC_CREAT | 0666);
}
