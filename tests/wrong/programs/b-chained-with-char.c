#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "Usage: %s from to\n", argv[0]);
        exit(1);
    }
    unsigned char *from = (unsigned char *)argv[1];
    unsigned char *to = (unsigned char *)argv[2];
    int from_len = strlen(argv[1]);
    int to_len = strlen(argv[2]);
    if (from_len != to_len) {
        fprintf(stderr, "ERROR: from and to are not of the same length!\n");
        exit(1);
    }
    int counts[256] = { 0 };
    for (int i = 0; i < from_len; i++) {
        counts[from[i]]++;
        if (counts[from[i]] > 1) {
            fprintf(stderr, "ERROR: from contains duplicate bytes!\n");
            exit(1);
        }
    }
    char ch;
    while ((ch = getchar()) != EOF) {
        for (int i = 0; i < from_len; i++) {
            if (ch == from[i])
                ch = to[i];
        }
        putchar(ch);
    }
    return 0;
}
