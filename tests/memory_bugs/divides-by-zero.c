#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int differences = 0;
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(argv[1], c);
        putchar(c % differences ? argv[2][place - argv[1]] : c); /* HERE */
    }
    return 0;
}
