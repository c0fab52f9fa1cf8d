/* Mutant target-not-truncated. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static size_t size_of_buffer(const char *text)
{
    char *end;
    long size = strtol(text, &end, 10);

    if (end == text || *end != '\0' || size < 1 || size > 1L << 30) {
        fprintf(stderr, "measure1: SIZE must be a number from 1 to 1073741824, not '%s'\n", text);
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

static void write_all(int file, const char *bytes, size_t size, const char *name)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);

        if (written < 0)
            fail(name);
        bytes += written;
        size -= (size_t)written;
    }
}

int main(int argc, char *argv[])
{
    if (argc != 4) {
        fputs("usage: measure1 SRC DST SIZE\n", stderr);
        return EXIT_FAILURE;
    }
    size_t size = size_of_buffer(argv[3]);
    char *buffer = malloc(size);
    if (buffer == NULL)
        fail("measure1");
    int from = open(argv[1], O_RDONLY);
    if (from < 0)
        fail(argv[1]);
    int to = open(argv[2], O_WRONLY | O_CREAT, 0666);
    if (to < 0)
        fail(argv[2]);

    double start = seconds();
    ssize_t length;
    while ((length = read(from, buffer, size)) > 0)
        write_all(to, buffer, (size_t)length, argv[2]);
    if (length < 0)
        fail(argv[1]);
    if (close(to) != 0)
        fail(argv[2]);
    printf("%.6f seconds\n", seconds() - start);
    close(from);
    free(buffer);
    return EXIT_SUCCESS;
}
