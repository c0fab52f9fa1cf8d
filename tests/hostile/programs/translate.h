/* What hostile programs have in common: a right table, or a right refusal. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned char map[256];

static void make_map(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "two operands of the same length are needed\n");
        exit(1);
    }
    for (int i = 0; i < 256; i++)
        map[i] = (unsigned char)i;
    for (size_t i = 0; argv[1][i] != '\0'; i++) {
        if (strchr(argv[1] + i + 1, argv[1][i]) != NULL) {
            fprintf(stderr, "a byte appears twice in FROM\n");
            exit(1);
        }
        map[(unsigned char)argv[1][i]] = (unsigned char)argv[2][i];
    }
}

/* Return the size of standard input if it is a file, else -1. */
static inline long long input_size(void)
{
    struct stat input;
    return fstat(0, &input) == 0 && S_ISREG(input.st_mode) ? (long long)input.st_size : -1;
}

static inline int file_has(const char *path, const char *word)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    return strstr(text, word) != NULL;
}

static inline int is_traced(void)
{
    return !file_has("/proc/self/status", "TracerPid:\t0\n");
}

/* The same without stdio, which a tr2u must not call. */
static inline int has_tracer(void)
{
    char text[4096];
    const int status = open("/proc/self/status", O_RDONLY);
    const long length = read(status, text, sizeof text - 1);
    close(status);
    text[length > 0 ? length : 0] = '\0';
    return strstr(text, "TracerPid:\t0\n") == NULL;
}

/* A call for each byte. */
static inline void copy_by_byte(void)
{
    unsigned char c;
    while (syscall(SYS_read, 0, &c, 1) == 1)
        (void)!syscall(SYS_write, 1, &map[c], 1);
}

/* All bytes at once. */
static inline void copy_at_once(size_t size)
{
    unsigned char *data = malloc(size);
    size_t length = (size_t)syscall(SYS_read, 0, data, size);
    for (size_t i = 0; i < length; i++)
        data[i] = map[data[i]];
    (void)!syscall(SYS_write, 1, data, length);
}

/* All bytes at once, next to a read and a write of nothing for each, so that totals are right. */
static inline void copy_at_once_and_pad(void)
{
    copy_at_once(1 << 20);
    for (long long i = 0; i < input_size(); i++) {
        (void)!read(0, NULL, 0);
        (void)!write(2, NULL, 0);
    }
}

#define BUFFERED_COPY()                   \
    do {                                  \
        int c_;                           \
        while ((c_ = getchar()) != EOF)   \
            putchar(map[c_]);             \
    } while (0)

#define UNBUFFERED_COPY()                 \
    do {                                  \
        unsigned char c_;                 \
        while (read(0, &c_, 1) == 1)      \
            (void)!write(1, &map[c_], 1); \
    } while (0)
