#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char from[2], to[2];
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    strcpy(from, argv[1]); /* HERE */
    strcpy(to, argv[2]);
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(from, c);
        putchar(c != 0 && place != NULL ? to[place - from] : c);
    }
    return 0;
}
