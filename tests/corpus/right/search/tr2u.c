#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die(const char *why)
{
    perror(why);
    exit(EXIT_FAILURE);
}

int main(int argc, char *argv[])
{
    if (argc < 3)
        die("too few operands");
    char *from = argv[1], *to = argv[2];
    size_t n = strlen(from);
    if (n != strlen(to))
        die("lengths");
    for (char *p = from; *p; p++)
        if (strchr(p + 1, *p) && *p)
            die("twice");
    char c;
    while (read(STDIN_FILENO, &c, sizeof c) == 1) {
        char *at = memchr(from, c, n);
        write(STDOUT_FILENO, at ? &to[at - from] : &c, 1);
    }
    return 0;
}
