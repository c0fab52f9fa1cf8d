/* Strays in mode `account`: the filter makes such a call wait, in whatever process of the program, until we have noted it
 * and let it pass. A thread of its own waits for them, because a request for the next one is the only way not to miss any:
 * if a signal interrupts a call that waits, poll(2) says nothing, and such a request fails with ENOENT. */
#include "strays.h"

#include "child.h"
#include "fault.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1U
#endif

/* Room for what the kernel writes, which may grow. */
enum { NOTICE_BYTES = 1024 };

bool has_too_many_strays(const struct run *run)
{
    return run->plan.given[MAX_STOPS] &&
           __atomic_load_n(&run->filter.stops, __ATOMIC_ACQUIRE) > run->plan.number[MAX_STOPS];
}

static void note_stray(struct run *run, long long number)
{
    const long long known = number >= 0 && number < CALL_NUMBERS ? number : CALL_NUMBERS;
    __atomic_store_n(&run->filter.counts.is_stray[known], true, __ATOMIC_RELEASE);
    (void)__atomic_add_fetch(&run->filter.stops, 1, __ATOMIC_ACQ_REL);
    if (has_too_many_strays(run))
        (void)kill(getpid(), TOO_MANY_STRAYS);
}

/* Return whether no process is left that has the filter. */
static bool has_ended(int fd)
{
    struct pollfd end = {.fd = fd};
    return poll(&end, 1, 0) > 0 && (end.revents & POLLHUP) != 0;
}

/* A failure to answer means that the call was interrupted meanwhile: it will be made again, or never. */
static void *answer_strays(void *argument)
{
    struct run *run = argument;
    for (;;) {
        union {
            struct seccomp_notif call;
            char room[NOTICE_BYTES];
        } notice;
        union {
            struct seccomp_notif_resp answer;
            char room[NOTICE_BYTES];
        } pass;
        memset(&notice, 0, sizeof notice);
        memset(&pass, 0, sizeof pass);
        if (ioctl(run->strays_fd, SECCOMP_IOCTL_NOTIF_RECV, &notice) == 0) {
            note_stray(run, notice.call.data.nr);
            pass.answer.id = notice.call.id;
            pass.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
            (void)ioctl(run->strays_fd, SECCOMP_IOCTL_NOTIF_SEND, &pass);
        } else if (errno != EINTR) {
            if (errno != ENOENT || has_ended(run->strays_fd))
                return NULL;
            note_stray(run, CALL_NUMBERS);
        }
    }
}

/* The child has installed its guard, and sends the descriptor of its filter if that reports strays. */
void receive_strays(struct run *run)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {0};
    struct child_message child = {0};
    struct iovec bytes = {&child, sizeof child};
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    pthread_t thread;
    if (recvmsg(run->child_socket, &message, MSG_CMSG_CLOEXEC) != sizeof child)
        die(run, "child", ECHILD, "the child ended or hung before the program was started");
    if (child.kind == STEP_FAILED)
        die(run, step_name(child.step), child.error, NULL);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL)
        return;
    memcpy(&run->strays_fd, CMSG_DATA(header), sizeof run->strays_fd);
    const int error = pthread_create(&thread, NULL, answer_strays, run);
    if (error != 0)
        die(run, "fork", error, NULL);
}
