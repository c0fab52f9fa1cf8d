// tr2u - transliterate, unbuffered version

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096

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

char translate(char c, const char* from, const char* to, size_t len)
{
    const char* hit = memchr(from, c, len);
    return hit ? to[hit - from] : c;
}

int main(int argc, const char* argv[])
{
    if (argc != 3) {
        fprintf(stderr, "tr2u: I need exactly 2 operands but got %d\n", argc - 1);
        return EXIT_FAILURE;
    }

    const char* from = argv[1];
    const char* to = argv[2];
    size_t len = strlen(from);

    if (strlen(to) != len) {
        fprintf(stderr, "tr2u: '%s' and '%s' differ in length\n", from, to);
        return EXIT_FAILURE;
    }
    if (has_duplicates(from)) {
        fprintf(stderr, "tr2u: '%s' contains a byte twice\n", from);
        return EXIT_FAILURE;
    }

    // reading byte by byte was far too slow
    char block[BLOCK];
    ssize_t got;
    while ((got = read(STDIN_FILENO, block, BLOCK)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            char c = translate(block[i], from, to, len);
            if (write(STDOUT_FILENO, &c, 1) != 1) {
                perror("tr2u");
                return EXIT_FAILURE;
            }
        }
    }

    return EXIT_SUCCESS;
}
