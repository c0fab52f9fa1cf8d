#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void usage(void)
{
    fprintf(stderr, "usage: tr2u from to\n");
    exit(2);
}

int main(int argc, char *argv[])
{
    int opt;
    while ((opt = getopt(argc, argv, "h")) != -1)
        usage();

    if (argc - optind != 2)
        usage();
    char *from = argv[optind];
    char *to = argv[optind + 1];
    size_t len = strlen(from);
    if (strlen(to) != len) {
        fprintf(stderr, "tr2u: strings of different lengths\n");
        exit(1);
    }
    for (size_t i = 1; i < len; i++)
        if (memchr(from, from[i], i)) {
            fprintf(stderr, "tr2u: string with duplicates\n");
            exit(1);
        }
    char c;
    ssize_t got;
    while ((got = read(STDIN_FILENO, &c, 1)) > 0) {
        char *hit = memchr(from, c, len);
        if (hit)
            c = to[hit - from];
        if (write(STDOUT_FILENO, &c, 1) != 1) {
            perror("write");
            exit(1);
        }
    }
    if (got < 0) {
        perror("read");
        exit(1);
    }
    return 0;
}
