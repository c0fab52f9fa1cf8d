#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    unsigned char table[256];
    unsigned char c;
    int i;
    if (argc != 3) {
        fprintf(stderr, "usage\n");
        return 1;
    }
    unsigned char *from = (unsigned char *)argv[1];
    unsigned char *to = (unsigned char *)argv[2];
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "lengths differ\n");
        return 1;
    }
    for (i = 0; i < 128; i++)
        table[i] = i;
    for (i = 0; from[i]; i++) {
        if (strchr(argv[1] + i + 1, from[i])) {
            fprintf(stderr, "duplicate\n");
            return 1;
        }
        table[from[i]] = to[i];
    }
    while (read(0, &c, 1) == 1)
        write(1, table + c, 1);
    return 0;
}
