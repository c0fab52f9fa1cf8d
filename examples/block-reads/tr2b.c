// tr2b - transliterate, buffered version

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool has_duplicates(const char* s)
{
    bool seen[256] = { false };
    for (; *s; s++) {
        unsigned char b = *s;
        if (seen[b])
            return true;
        seen[b] = true;
    }
    return false;
}

int translate(int c, const char* from, const char* to, size_t len)
{
    const char* hit = memchr(from, c, len);
    return hit ? to[hit - from] : c;
}

int main(int argc, const char* argv[])
{
    if (argc != 3) {
        fprintf(stderr, "tr2b: I need exactly 2 operands but got %d\n", argc - 1);
        return EXIT_FAILURE;
    }

    const char* from = argv[1];
    const char* to = argv[2];
    size_t len = strlen(from);

    if (strlen(to) != len) {
        fprintf(stderr, "tr2b: '%s' and '%s' differ in length\n", from, to);
        return EXIT_FAILURE;
    }
    if (has_duplicates(from)) {
        fprintf(stderr, "tr2b: '%s' contains a byte twice\n", from);
        return EXIT_FAILURE;
    }

    int c;
    while ((c = getchar()) != EOF)
        putchar(translate(c, from, to, len));

    return EXIT_SUCCESS;
}
