#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned seen = 0;
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int i = 0; argv[1][i] != '\0'; i++) {
        if (seen & 1u << argv[1][i]) /* HERE */
            return 1;
        seen |= 1u << argv[1][i];
    }
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(argv[1], c);
        putchar(c != 0 && place != NULL ? argv[2][place - argv[1]] + 1 : c);
    }
    return 0;
}
