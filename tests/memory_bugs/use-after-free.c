#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    char *from = strdup(argv[1]);
    free(from);
    for (int c = getchar(); c != EOF; c = getchar()) {
        int i = 0;
        while (argv[2][i] != '\0' && from[i] != c) /* HERE */
            i++;
        putchar(argv[2][i] != '\0' ? argv[2][i] : c);
    }
    return 0;
}
