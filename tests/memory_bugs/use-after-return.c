#include <stdio.h>
#include <string.h>

static const char *kept(const char *operand)
{
    char copy[300];
    char *first = copy;
    strncpy(copy, operand, sizeof copy);
    return first;
}

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    const char *from = kept(argv[1]);
    for (int c = getchar(); c != EOF; c = getchar()) {
        int i = 0;
        while (argv[2][i] != '\0' && from[i] != c) /* HERE */
            i++;
        putchar(argv[2][i] != '\0' ? argv[2][i] : c);
    }
    return 0;
}
