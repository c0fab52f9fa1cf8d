#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char translate[256];
unsigned char used[256];

int main(int argc, char *argv[]) {
    if (argc != 3) {
        fputs("tr2b: anvendelse: tr2b from to\n", stderr);
        exit(1);
    }
    unsigned char *from = (unsigned char *) argv[1];
    unsigned char *to = (unsigned char *) argv[2];
    if (strlen(argv[1]) != strlen(argv[2])) {
        fputs("tr2b: from og to er ikke lige lange\n", stderr);
        exit(1);
    }
    for (int i = 0; i < 255; i++) {
        translate[i] = i;
    }
    while (*from) {
        if (used[*from]) {
            fputs("tr2b: from har gengangere\n", stderr);
            exit(1);
        }
        used[*from] = 1;
        translate[*from] = *to;
        from++;
        to++;
    }
    for (int c = getchar(); c != EOF; c = getchar()) {
        putchar(translate[c]);
    }
    return 0;
}
