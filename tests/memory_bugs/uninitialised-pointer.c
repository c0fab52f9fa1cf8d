#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *from;
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    strcpy(from, argv[1]); /* HERE */
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(from, c);
        putchar(c != 0 && place != NULL ? argv[2][place - from] : c);
    }
    return 0;
}
