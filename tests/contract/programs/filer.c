/* Leaves something under the name of its second operand, as the first says. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static void fill(const char *name, long long size)
{
    char block[4096];
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    memset(block, 'x', sizeof block);
    for (; size > 0; size -= sizeof block)
        if (write(fd, block, size < (long long)sizeof block ? (size_t)size : sizeof block) < 0)
            exit(9);
    close(fd);
}

int main(int argc, char **argv)
{
    const char *what = argv[1], *name = argv[2];
    if (argc > 3 && strcmp(what, "copy") == 0) {
        char byte;
        int from = open(name, O_RDONLY), to = open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0644);
        if (from < 0 || to < 0)
            return 2;
        while (read(from, &byte, 1) == 1)
            if (write(to, &byte, 1) != 1)
                return 3;
        return 0;
    }
    if (strcmp(what, "execute") == 0)
        return execl("./script", "./script", (char *)NULL);
    if (strcmp(what, "variable") == 0)
        return printf("%s", getenv(name)) < 0;
    if (strcmp(what, "link") == 0)
        return symlink(argv[3], name);
    if (strcmp(what, "fifo") == 0)
        return mkfifo(name, 0666);
    if (strcmp(what, "folder") == 0)
        return mkdir(name, 0777);
    if (strcmp(what, "closed") == 0)
        return close(open(name, O_WRONLY | O_CREAT, 0)) ? 1 : chmod(name, 0);
    if (strcmp(what, "fill") == 0)
        fill(name, atoll(argv[3]));
    if (strcmp(what, "sparse") == 0) {
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        return ftruncate(fd, 10LL << 30) != 0;
    }
    if (strcmp(what, "grow") == 0) {
        /* A process that outlives the program would go on writing while the file is read. */
        if (fork() == 0)
            for (int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);;)
                if (write(fd, "growing\n", 8) != 8)
                    lseek(fd, 0, SEEK_SET);
        while (access(name, F_OK) != 0)
            usleep(1000);
    }
    return 0;
}
