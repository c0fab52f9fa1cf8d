#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int get(void)
{
    unsigned char byte;
    ssize_t got;
    do
        got = read(STDIN_FILENO, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        perror("read");
        exit(EXIT_FAILURE);
    }
    return got == 0 ? -1 : byte;
}

static void put(unsigned char byte)
{
    if (write(STDOUT_FILENO, &byte, 1) != 1) {
        perror("write");
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char *argv[])
{
    int map[256];
    for (int i = 0; i < 256; i++)
        map[i] = -1;
    if (argc != 3) {
        fprintf(stderr, "%d operands, not 2\n", argc - 1);
        exit(5);
    }
    const unsigned char *from = (const unsigned char *)argv[1], *to = (const unsigned char *)argv[2];
    for (; *from && *to; from++, to++) {
        if (map[*from] >= 0) {
            fprintf(stderr, "from repeats a byte\n");
            exit(3);
        }
        map[*from] = *to;
    }
    if (*from || *to) {
        fprintf(stderr, "lengths\n");
        exit(4);
    }
    for (int byte; (byte = get()) != -1;)
        put((unsigned char)(map[byte] < 0 ? byte : map[byte]));
    exit(EXIT_SUCCESS);
}
