#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main (int argc, char *argv[]) {
    if (argc != 3) {
        printf ("tr2b: invalid number of operands\n");
        exit (1);
    }
    unsigned char *from = (unsigned char *) argv[1];
    unsigned char *to = (unsigned char *) argv[2];
    if (strlen (argv[1]) != strlen (argv[2])) {
        printf ("tr2b: length mismatch\n");
        exit (1);
    }
    for (unsigned char *p = from; *p; p++) {
        for (unsigned char *q = p + 1; *q; q++) {
            if (*p == *q) {
                printf ("tr2b: duplicate byte in from\n");
                exit (1);
            }
        }
    }
    int c;
    while ((c = getchar ()) != EOF) {
        for (unsigned char *p = from; *p; p++) {
            if (*p == c) {
                putchar (to[p - from]);
                break;
            }
        }
        putchar (c);
    }
    return 0;
}
