/* tr2b with two bugs that touch the same cases: char for getchar, and a newline at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "wrong operands\n");
        exit(1);
    }
    for (char *p = argv[1]; *p != '\0'; p++)
        if (strchr(p + 1, *p) != NULL) {
            fprintf(stderr, "%c twice\n", *p);
            exit(1);
        }
    char c;
    while ((c = getchar()) != EOF) {
        char *at = strchr(argv[1], c);
        putchar(at != NULL && c != '\0' ? argv[2][at - argv[1]] : c);
    }
    putchar('\n');
    return 0;
}
