#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void dup_check(char *s, char *name) {
    int seen[256];
    memset(seen, 0, sizeof seen);
    for (; *s; s++)
        if (seen[(unsigned char)*s]++) {
            fprintf(stderr, "%s contains duplicate bytes\n", name);
            exit(1);
        }
}

int main(int argc, char **argv) {
    char ch;
    if (argc != 3) {
        fprintf(stderr, "Usage: %s from to\n", argv[0]);
        exit(1);
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "from and to must be the same length\n");
        exit(1);
    }
    dup_check(argv[2], "from");
    while (read(0, &ch, 1) > 0) {
        char *p = argv[1];
        char *q = argv[2];
        while (*p) {
            if (*p == ch) {
                ch = *q;
                break;
            }
            p++;
            q++;
        }
        write(1, &ch, 1);
    }
    return 0;
}
