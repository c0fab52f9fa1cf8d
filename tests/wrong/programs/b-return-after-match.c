#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3) { fprintf(stderr, "usage\n"); return 1; }
    unsigned char *f = (unsigned char *)argv[1], *t = (unsigned char *)argv[2];
    int n = strlen(argv[1]), c, i, k;
    if (n != strlen(argv[2])) { fprintf(stderr, "length\n"); return 1; }
    for (i = 0; i < n; i++)
        for (k = 0; k < i; k++)
            if (f[i] == f[k]) { fprintf(stderr, "dup\n"); return 1; }
    while ((c = getchar()) != EOF) {
        for (i = 0; i < n; i++) {
            if (f[i] == c) {
                putchar(t[i]);
                return 0;
            }
        }
        putchar(c);
    }
    return 0;
}
