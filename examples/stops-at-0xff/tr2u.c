#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// prints the message and quits
void error(const char *msg) {
    fprintf(stderr, "Error: %s\n", msg);
    exit(1);
}

int main(int argc, char *argv[]) {
    if (argc != 3)
        error("expected two arguments");

    char *from = argv[1];
    char *to = argv[2];
    size_t len = strlen(from);

    if (len != strlen(to))
        error("'from' and 'to' are not the same length");

    // check every pair for duplicates
    for (size_t i = 0; i < len; i++)
        for (size_t j = i + 1; j < len; j++)
            if (from[i] == from[j])
                error("'from' has duplicate bytes");

    char c;
    while (read(STDIN_FILENO, &c, 1) > 0) {
        for (size_t i = 0; i < len; i++) {
            if (c == from[i]) {
                c = to[i];
                break;
            }
        }
        if (write(STDOUT_FILENO, &c, 1) < 1)
            error("could not write");
    }
    return 0;
}
