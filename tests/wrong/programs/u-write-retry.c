#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void put(char c)
{
    /* try again until it has worked */
    while (write(1, &c, 1) != 0)
        ;
}

int get(char *c)
{
    return read(0, c, 1) == 1;
}

int main(int argc, char **argv)
{
    char c, *p;

    if (argc != 3) {
        fprintf(stderr, "arguments: from to\n");
        exit(1);
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "arguments: from and to have to be of the same length\n");
        exit(1);
    }
    for (p = argv[1]; *p; p++)
        if (strchr(p + 1, *p)) {
            fprintf(stderr, "arguments: from has to be without duplicates\n");
            exit(1);
        }
    while (get(&c)) {
        p = c == 0 ? NULL : strchr(argv[1], c);
        if (p != NULL)
            c = argv[2][p - argv[1]];
        put(c);
    }
    return 0;
}
