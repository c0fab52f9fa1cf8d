#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    char from[strlen(argv[1])];
    strcpy(from, argv[1]); /* HERE */
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(from, c);
        putchar(c != 0 && place != NULL ? argv[2][place - from] + 1 : c);
    }
    return 0;
}
