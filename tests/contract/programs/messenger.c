/* Leaves a note in every place that outlives a program, finds notes there, or removes them. Finding prints the name of
 * each place that has the note. The second operand is the note: a number by which places are named, too. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { VALUE = 77 };

static int note;
static char name[64]; /* with a slash before it */

static struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};

static void shm(char act)
{
    const int id = shmget(note, 64, act == 'l' ? IPC_CREAT | 0666 : 0666);
    int *memory = id < 0 || act == 'r' ? (void *)-1 : shmat(id, NULL, 0);
    if (act == 'r')
        shmctl(id, IPC_RMID, NULL);
    else if (memory != (void *)-1 && act == 'l')
        *memory = VALUE;
    else if (memory != (void *)-1 && *memory == VALUE)
        puts("shm");
}

static void sem(char act)
{
    const int id = semget(note, 1, act == 'l' ? IPC_CREAT | 0666 : 0666);
    if (act == 'r')
        semctl(id, 0, IPC_RMID);
    else if (act == 'l')
        semctl(id, 0, SETVAL, VALUE);
    else if (id >= 0 && semctl(id, 0, GETVAL) == VALUE)
        puts("sem");
}

static void msg(char act)
{
    struct { long type; char text[8]; } message = {1, "note"};
    const int id = msgget(note, act == 'l' ? IPC_CREAT | 0666 : 0666);
    if (act == 'r')
        msgctl(id, IPC_RMID, NULL);
    else if (act == 'l')
        msgsnd(id, &message, sizeof message.text, IPC_NOWAIT);
    else if (id >= 0 && msgrcv(id, &message, sizeof message.text, 0, IPC_NOWAIT) > 0)
        puts("msg");
}

static void mq(char act)
{
    char text[8] = "note";
    const mqd_t queue = mq_open(name, O_RDWR | O_NONBLOCK | (act == 'l' ? O_CREAT : 0), 0666, &attributes);
    if (act == 'r')
        mq_unlink(name);
    else if (act == 'l')
        mq_send(queue, text, sizeof text, 0);
    else if (queue != (mqd_t)-1 && mq_receive(queue, text, sizeof text, NULL) > 0)
        puts("mq");
}

static void file(char act, const char *folder)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s-file", folder, name);
    if (act == 'r')
        unlink(path);
    else if (act == 'l')
        close(open(path, O_WRONLY | O_CREAT, 0666));
    else if (access(path, F_OK) == 0)
        puts(folder);
}

static struct sockaddr_un address(void)
{
    struct sockaddr_un abstract = {.sun_family = AF_UNIX};
    snprintf(abstract.sun_path + 1, sizeof abstract.sun_path - 1, "%s", name + 1);
    return abstract;
}

/* The child that holds the socket also shows in /proc, by its name. */
static void child(char act)
{
    const struct sockaddr_un abstract = address();
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (act == 'f' && connect(fd, (const struct sockaddr *)&abstract, sizeof abstract) == 0)
        puts("socket");
    if (act == 'r' && connect(fd, (const struct sockaddr *)&abstract, sizeof abstract) == 0)
        (void)!write(fd, "", 1);
    if (act != 'l' || fork() != 0)
        return;
    for (int other = 0; other < 3; other++)
        close(other); /* or the reader of our output would wait for us */
    bind(fd, (const struct sockaddr *)&abstract, sizeof abstract);
    setsid();
    signal(SIGTERM, SIG_IGN);
    alarm(60);
    (void)!read(fd, &(char){0}, 1);
    _exit(0);
}

int main(int argc, char **argv)
{
    static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock", "."};
    const char act = argc > 2 ? *argv[1] : '?'; /* l(eave), f(ind) or r(emove) */
    if (strchr("lfr", act) == NULL)
        return 99;
    umask(0);
    note = atoi(argv[2]);
    snprintf(name, sizeof name, "/note-%d", note);
    shm(act);
    sem(act);
    msg(act);
    mq(act);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        file(act, folders[i]);
    child(act);
    if (act == 'l')
        usleep(100000); /* until the child has its name */
    return 0;
}
