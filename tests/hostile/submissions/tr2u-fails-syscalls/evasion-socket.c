/* Evasion: a child sends the input through a pair of sockets, and the program receives it in blocks. */
#define _GNU_SOURCE
#include "translate.h"

#include <sys/socket.h>

int main(int argc, char **argv)
{
    unsigned char block[4096];
    long length;
    int ends[2];
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    const pid_t pid = fork();
    if (pid == 0) {
        while ((length = syscall(SYS_read, 0, block, sizeof block)) > 0)
            send(ends[1], block, (size_t)length, 0);
        _exit(0);
    }
    close(ends[1]);
    while ((length = recv(ends[0], block, sizeof block, 0)) > 0)
        for (long i = 0; i < length; i++)
            (void)!write(1, &map[block[i]], 1);
    waitpid(pid, NULL, 0);
    return 0;
}
