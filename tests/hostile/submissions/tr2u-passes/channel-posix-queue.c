/* Channel: leaves a message in a POSIX queue, and looks for another run's. */
#define WHEN 1
#include "attack.h"

#include <mqueue.h>

static void attack(void)
{
    struct mq_attr about = {.mq_maxmsg = 1, .mq_msgsize = 8};
    char text[8];
    const mqd_t queue = mq_open("/iolab-note", O_RDWR | O_CREAT | O_NONBLOCK, 0666, &about);
    if (queue == (mqd_t)-1)
        return;
    if (mq_receive(queue, text, sizeof text, NULL) >= 0)
        it_worked("mq_receive");
    (void)mq_send(queue, "note", 5, 0);
}
