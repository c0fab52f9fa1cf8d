#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[]) {
    char buf[2] = "";
    char *from = argv[1];
    char *to = argv[2];
    int i;

    if (argc != 3) {
        fprintf(stderr, "Usage: tr2u FROM TO\n");
        exit(1);
    }
    if (strlen(from) != strlen(to)) {
        fprintf(stderr, "FROM and TO must have the same length\n");
        exit(1);
    }
    for (i = 0; from[i]; i++) {
        if (strrchr(from, from[i]) != &from[i]) {
            fprintf(stderr, "FROM must not repeat a byte\n");
            exit(1);
        }
    }

    while (read(STDIN_FILENO, buf, strlen(buf)) > 0) {
        for (i = 0; from[i]; i++) {
            if (buf[0] == from[i]) {
                buf[0] = to[i];
                break;
            }
        }
        write(STDOUT_FILENO, buf, 1);
    }
    return 0;
}
