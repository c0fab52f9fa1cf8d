#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char c;
    int n;
    if (argc > 3) {
        fprintf(stderr, "tr2u from to\n");
        exit(1);
    }
    unsigned char *from = (unsigned char *)argv[1];
    unsigned char *to = (unsigned char *)argv[2];
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "tr2u: different lengths\n");
        exit(1);
    }
    for (int i = 0; from[i]; i++)
        for (int j = i + 1; from[j]; j++)
            if (from[i] == from[j]) {
                fprintf(stderr, "tr2u: duplicate bytes\n");
                exit(1);
            }
    while ((n = read(0, &c, 1)) > 0) {
        for (int i = 0; from[i]; i++)
            if (from[i] == c) {
                c = to[i];
                break;
            }
        write(1, &c, n);
    }
    return 0;
}
