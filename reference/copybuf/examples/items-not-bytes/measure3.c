#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct timespec t0, t1;
    char *end, *buf;
    FILE *in, *out;
    size_t n;
    long size;

    if (argc != 4) {
        fprintf(stderr, "Usage: %s source target size\n", argv[0]);
        return 1;
    }
    size = strtol(argv[3], &end, 10);
    if (end == argv[3] || *end || size <= 0 || (buf = malloc((size_t)size)) == NULL) {
        fprintf(stderr, "%s: not a size: %s\n", argv[0], argv[3]);
        return 1;
    }
    if ((in = fopen(argv[1], "rb")) == NULL) {
        perror(argv[1]);
        return 1;
    }
    if ((out = fopen(argv[2], "wb")) == NULL) {
        perror(argv[2]);
        return 1;
    }
    setvbuf(in, NULL, _IONBF, 0);
    setvbuf(out, NULL, _IONBF, 0);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    while ((n = fread(buf, 1, (size_t)size, in)) > 0)
        fwrite(buf, 1, n, out);
    if (fclose(out) != 0) {
        perror(argv[2]);
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    fclose(in);
    printf("%f seconds\n", (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) / 1e9);
    return 0;
}
