#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *from = "                ";
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int i = 0; argv[1][i] != '\0'; i++)
        from[i] = argv[1][i]; /* HERE */
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(from, c);
        putchar(c != 0 && place != NULL ? argv[2][place - from] : c);
    }
    return 0;
}
