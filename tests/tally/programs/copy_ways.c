/* Copies a file one byte per call, and takes the input in another way as well. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BYTES = 4096 };
static char block[BYTES];

static void map(int fd)
{
    if (mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
        exit(98);
}

static void take(const char *way)
{
    ssize_t length = BYTES;
    if (strcmp(way, "read-dup") == 0)
        length = read(dup(0), block, BYTES);
    else if (strcmp(way, "read-reopened") == 0)
        length = read(open("/proc/self/fd/0", O_RDONLY), block, BYTES);
    else if (strcmp(way, "pread") == 0)
        length = pread(0, block, BYTES, 0);
    else if (strcmp(way, "map") == 0)
        map(0);
    else if (strcmp(way, "map-dup") == 0)
        map(dup(0));
    else if (strcmp(way, "map-other") == 0)
        map(open("/proc/self/exe", O_RDONLY));
    if (length != BYTES)
        exit(99);
    lseek(0, 0, SEEK_SET);
}

int main(int argc, char **argv)
{
    const int writes_again = argc > 1 && strcmp(argv[1], "write-dup") == 0;
    const int is_chatty = argc > 1 && strcmp(argv[1], "chatty") == 0;
    char c;
    take(argv[1]);
    while (read(0, &c, 1) == 1) {
        if (is_chatty)
            syscall(SYS_getppid);
        if (write(1, &c, 1) != 1)
            return 97;
    }
    if (writes_again && write(dup(1), block, BYTES) != BYTES)
        return 96;
    return 0;
}
