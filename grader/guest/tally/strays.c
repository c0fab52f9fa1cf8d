/* Strays in mode `account`: the filter makes such a call wait, in whatever process of the program, until we have noted it
 * and let it pass. A thread of its own waits for them, because a request for the next one is the only way not to miss any:
 * if a signal interrupts a call that waits, poll(2) says nothing, and such a request fails with ENOENT. Without conforming
 * calls the request may have been a mapping by the loader; any other call is made again, or never happened. */
#include "strays.h"

#include "child.h"
#include "fault.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1U
#endif

/* Newer than some systems' headers: see linux/seccomp.h. */
#define SET_FLAGS _IOW('!', 4, uint64_t)
enum { SYNC_WAKE_UP = 1 };

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

static bool is_input(const struct run *run, const struct stat *file)
{
    for (size_t i = 0; i < run->input_count; i++)
        if (run->inputs[i].device == file->st_dev && run->inputs[i].number == file->st_ino)
            return true;
    return false;
}

/* Return whether a call that waits maps the input, by any descriptor. One that is not open maps nothing. A program
 * can make the others unreadable to us, by executing a file that it may not read: that does not help it. If the
 * call does not wait any more, its process was ended, and there is nothing to read. */
static bool maps_input(const struct run *run, const struct seccomp_notif *call)
{
    char path[PATH_MAX];
    struct stat file;
    (void)snprintf(path, sizeof path, "/proc/%u/fd/%d", call->pid, (int)call->data.args[MMAP_FD]);
    if (stat(path, &file) == 0)
        return is_input(run, &file);
    return errno != ENOENT && ioctl(run->strays_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &call->id) == 0;
}

/* With conforming calls the filter reports strays alone, otherwise of the loader's mappings too. */
static bool is_harmless(const struct run *run, const struct seccomp_notif *call)
{
    return !run->plan.given[READ_NBYTE] && call->data.nr == SYS_mmap && !maps_input(run, call);
}

/* The ids for files belong to a thread. The program's show us its descriptors, as they do its totals (account.c). */
static void become_able_to_look(const struct plan *plan)
{
    if (plan->given[UID]) {
        (void)setfsgid((gid_t)plan->number[GID]);
        (void)setfsuid((uid_t)plan->number[UID]);
    }
}

/* A failure to answer means that the call was interrupted meanwhile: it will be made again, or never. */
static void *answer_strays(void *argument)
{
    struct run *run = argument;
    become_able_to_look(&run->plan);
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
            if (!is_harmless(run, &notice.call))
                note_stray(run, notice.call.data.nr);
            pass.answer.id = notice.call.id;
            pass.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
            (void)ioctl(run->strays_fd, SECCOMP_IOCTL_NOTIF_SEND, &pass);
        } else if (errno != EINTR) {
            if (errno != ENOENT || has_ended(run->strays_fd))
                return NULL;
            if (run->plan.given[READ_NBYTE])
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
    /* The program waits for us, so we can have its CPU: faster, and since Linux 6.6. */
    (void)ioctl(run->strays_fd, SET_FLAGS, SYNC_WAKE_UP);
    const int error = pthread_create(&thread, NULL, answer_strays, run);
    if (error != 0)
        die(run, "fork", error, NULL);
}
