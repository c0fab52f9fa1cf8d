#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    size_t length = strlen(argv[1]);
    char *from = malloc(length);
    for (size_t i = 0; i <= length; i++)
        from[i] = argv[1][i]; /* HERE */
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(from, c);
        putchar(c != 0 && place != NULL ? argv[2][place - from] : c);
    }
    free(from);
    return 0;
}
