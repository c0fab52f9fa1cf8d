#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timeval t0, t1;
    char *end, buf[4096];
    int in, out, n, size;

    if (argc != 4) {
        fprintf(stderr, "Usage: %s source target size\n", argv[0]);
        return 1;
    }
    size = (int)strtol(argv[3], &end, 10);
    if (end == argv[3] || *end || size <= 0) {
        fprintf(stderr, "%s: not a size: %s\n", argv[0], argv[3]);
        return 1;
    }
    if ((in = open(argv[1], O_RDONLY)) == -1) {
        perror(argv[1]);
        return 1;
    }
    if ((out = open(argv[2], O_CREAT | O_TRUNC | O_WRONLY, 0644)) == -1) {
        perror(argv[2]);
        return 1;
    }
    gettimeofday(&t0, NULL);
    while ((n = (int)read(in, buf, sizeof buf)) > 0)
        if (write(out, buf, (size_t)n) != n) {
            perror("write");
            return 1;
        }
    gettimeofday(&t1, NULL);
    close(in);
    close(out);
    printf("%f s\n", (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_usec - t0.tv_usec) / 1e6);
    return 0;
}
