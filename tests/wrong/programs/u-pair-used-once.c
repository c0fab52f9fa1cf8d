#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[]) {
    char *from = argv[1];
    char *to = argv[2];
    char c;
    int i, j;
    if (argc != 3) {
        fprintf(stderr, "tr2u needs from and to\n");
        exit(1);
    }
    if (strlen(from) != strlen(to)) {
        fprintf(stderr, "tr2u needs from and to of equal length\n");
        exit(1);
    }
    for (i = 0; from[i]; i++) {
        for (j = i + 1; from[j]; j++) {
            if (from[i] == from[j]) {
                fprintf(stderr, "tr2u needs different bytes in from\n");
                exit(1);
            }
        }
    }
    while (read(0, &c, 1) > 0) {
        for (i = 0; from[i]; i++) {
            if (from[i] == c) {
                c = to[i];
                from[i] = 0; // so that it is not translated again
                break;
            }
        }
        write(1, &c, 1);
    }
    return 0;
}
