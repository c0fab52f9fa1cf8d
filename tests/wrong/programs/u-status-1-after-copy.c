#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc == 3) {
        const char *from = argv[1], *to = argv[2];
        int n = strlen(from);
        if (n == (int)strlen(to)) {
            for (int i = 0; i <= n / 2; i++) {
                for (int j = i + 1; j < n; j++) {
                    if (from[i] == from[j]) {
                        fprintf(stderr, "tr2u: byte %d and byte %d of from are equal\n", i, j);
                        exit(2);
                    }
                }
            }
            char c;
            while (read(0, &c, 1) > 0) {
                for (int i = 0; i < n; i++) {
                    if (from[i] == c) {
                        c = to[i];
                        break;
                    }
                }
                write(1, &c, 1);
            }
        } else {
            fprintf(stderr, "tr2u: from and to differ in length\n");
            exit(2);
        }
    } else {
        fprintf(stderr, "tr2u: usage: tr2u from to\n");
        exit(2);
    }
    return 1;
}
