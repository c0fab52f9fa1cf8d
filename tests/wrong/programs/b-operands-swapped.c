#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    int c;
    const char *to = argv[1];
    const char *from = argv[2];

    if (argc != 3) {
        fprintf(stderr, "tr2b: wrong usage\n");
        exit(1);
    }

    if (strlen(from) != strlen(to)) {
        fprintf(stderr, "tr2b: wrong lengths\n");
        exit(1);
    }

    for (const char *p = from; *p != '\0'; ++p) {
        for (const char *q = p + 1; *q != '\0'; ++q) {
            if (*p == *q) {
                fprintf(stderr, "tr2b: duplicate byte: %c\n", *p);
                exit(1);
            }
        }
    }

    while ((c = getchar()) != EOF) {
        const char *p = from;
        while (*p != '\0' && (unsigned char)*p != c)
            ++p;
        if (*p != '\0')
            c = (unsigned char)to[p - from];
        putchar(c);
    }
    return 0;
}
