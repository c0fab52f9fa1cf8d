/* Channel: leaves a message in a System V queue, and looks for another run's. */
#define WHEN 1
#include "attack.h"

#include <sys/msg.h>

static void attack(void)
{
    struct {
        long kind;
        char text[8];
    } message = {1, "note"};
    const int id = msgget(0x10ab, IPC_CREAT | 0666);
    if (id >= 0 && msgrcv(id, &message, sizeof message.text, 0, IPC_NOWAIT) >= 0)
        it_worked("msgrcv");
    if (id >= 0)
        (void)msgsnd(id, &message, sizeof message.text, IPC_NOWAIT);
}
