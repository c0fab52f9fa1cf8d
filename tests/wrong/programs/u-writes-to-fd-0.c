#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "tr2u: bad usage\n");
        exit(1);
    }

    char *from = argv[1];
    char *to = argv[2];
    size_t size = strlen(from);

    if (strlen(to) != size) {
        fprintf(stderr, "tr2u: bad lengths\n");
        exit(1);
    }

    for (size_t i = 0; i < size; i++) {
        for (size_t j = i + 1; j < size; j++) {
            if (from[i] == from[j]) {
                fprintf(stderr, "tr2u: bad from\n");
                exit(1);
            }
        }
    }

    char buf;
    while (read(0, &buf, 1) > 0) {
        for (size_t i = 0; i < size; i++) {
            if (buf == from[i]) {
                buf = to[i];
                break;
            }
        }
        write(0, &buf, 1);
    }
    exit(0);
}
