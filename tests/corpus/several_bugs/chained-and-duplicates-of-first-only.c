/* tr2b with two bugs that touch different checks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "wrong operands\n");
        exit(1);
    }
    char *from = argv[1], *to = argv[2];
    if (from[0] != '\0' && strchr(from + 1, from[0]) != NULL) {
        fprintf(stderr, "%c twice\n", from[0]);
        exit(1);
    }
    int c;
    while ((c = getchar()) != EOF) {
        for (int i = 0; from[i] != '\0'; i++)
            if (c == (unsigned char)from[i])
                c = (unsigned char)to[i];
        putchar(c);
    }
    return 0;
}
