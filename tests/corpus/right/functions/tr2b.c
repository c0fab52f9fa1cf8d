#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { unsigned char from, to; };
struct mapping { struct pair *pairs; size_t count; };

static bool has(const struct mapping *m, unsigned char byte)
{
    for (size_t i = 0; i < m->count; ++i)
        if (m->pairs[i].from == byte)
            return true;
    return false;
}

static struct mapping make(const char *from, const char *to)
{
    struct mapping m = {malloc(strlen(from) * sizeof(struct pair) + 1), 0};
    if (m.pairs == NULL)
        abort();
    for (; *from != '\0'; from++, to++) {
        if (*to == '\0' || has(&m, (unsigned char)*from)) {
            fprintf(stderr, *to == '\0' ? "to is too short\n" : "from repeats a byte\n");
            exit(3);
        }
        m.pairs[m.count++] = (struct pair){(unsigned char)*from, (unsigned char)*to};
    }
    if (*to != '\0') {
        fprintf(stderr, "to is too long\n");
        exit(4);
    }
    return m;
}

static int mapped(const struct mapping *m, int byte)
{
    for (size_t i = 0; i < m->count; ++i)
        if (m->pairs[i].from == byte)
            return m->pairs[i].to;
    return byte;
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        fprintf(stderr, "%d operands, not 2\n", argc - 1);
        exit(5);
    }
    struct mapping m = make(argv[1], argv[2]);
    int byte = getchar();
    while (byte != EOF) {
        putchar(mapped(&m, byte));
        byte = getchar();
    }
    free(m.pairs);
    return EXIT_SUCCESS;
}
