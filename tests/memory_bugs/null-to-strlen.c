#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    (void)argc;
    if (strlen(argv[1]) != strlen(argv[2])) /* HERE */
        return 1;
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(argv[1], c);
        putchar(c != 0 && place != NULL ? argv[2][place - argv[1]] : c);
    }
    return 0;
}
