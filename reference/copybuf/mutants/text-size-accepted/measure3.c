/* Mutant text-size-accepted. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static size_t size_of_buffer(const char *text)
{
    long size = strtol(text, NULL, 10);

    if (size < 1 || size > 1L << 30) {
        fprintf(stderr, "measure3: SIZE must be a number from 1 to 1073741824, not '%s'\n", text);
        exit(EXIT_FAILURE);
    }
    return (size_t)size;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char *argv[])
{
    if (argc != 4) {
        fputs("usage: measure3 SRC DST SIZE\n", stderr);
        return EXIT_FAILURE;
    }
    size_t size = size_of_buffer(argv[3]);
    char *buffer = malloc(size);
    if (buffer == NULL)
        fail("measure3");
    FILE *from = fopen(argv[1], "r");
    if (from == NULL)
        fail(argv[1]);
    FILE *to = fopen(argv[2], "w");
    if (to == NULL)
        fail(argv[2]);
    if (setvbuf(from, NULL, _IONBF, 0) != 0 || setvbuf(to, NULL, _IONBF, 0) != 0)
        fail("setvbuf");

    double start = seconds();
    size_t length;
    while ((length = fread(buffer, 1, size, from)) > 0)
        if (fwrite(buffer, 1, length, to) != length)
            fail(argv[2]);
    if (ferror(from))
        fail(argv[1]);
    if (fclose(to) != 0)
        fail(argv[2]);
    printf("%.6f seconds\n", seconds() - start);
    fclose(from);
    free(buffer);
    return EXIT_SUCCESS;
}
