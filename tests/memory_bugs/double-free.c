#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    char *from = strdup(argv[1]), *to = from;
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(from, c);
        putchar(c != 0 && place != NULL ? argv[2][place - from] : c);
    }
    free(from);
    free(to); /* HERE */
    return 0;
}
