/* tr2u that always sends itself descriptors, and without a tracer copies at once by those that it gets. */
#include "translate.h"

#include <sys/socket.h>

/* Return a copy of a descriptor that came through a socket. */
static int received(int descriptor)
{
    char byte = 0;
    char space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    int ends[2];
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || sendmsg(ends[0], &message, 0) != 1 ||
        recvmsg(ends[1], &message, 0) != 1)
        return descriptor;
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

int main(int argc, char **argv)
{
    make_map(argc, argv);
    const int input = received(0), output = received(1);
    if (input_size() == 4096 || has_tracer()) {
        UNBUFFERED_COPY();
        return 0;
    }
    unsigned char *data = malloc(1 << 20);
    const ssize_t length = read(input, data, 1 << 20);
    for (ssize_t i = 0; i < length; i++)
        data[i] = map[data[i]];
    (void)!write(output, data, (size_t)length);
    for (ssize_t i = 0; i < length; i++) {
        (void)!read(5, NULL, 0);
        (void)!write(2, NULL, 0);
    }
    return 0;
}
