#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(argv[1], c);
        c = argv[2][*place - *argv[1]]; /* HERE */
        putchar(c);
    }
    return 0;
}
