#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    char *from = strdup(argv[1]);
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(argv[1], c);
        putchar(c != 0 && place != NULL ? argv[2][place - argv[1]] : c);
    }
    while (*from != '\0')
        from++;
    free(from); /* HERE */
    return 0;
}
