#include <stdio.h>
#include <string.h>

static void copy(const char *operand, char *kept)
{
    while (*operand != '\0')
        *kept++ = *operand++; /* HERE */
    *kept = '\0';
}

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    char from[2];
    copy(argv[1], from);
    for (int c = getchar(); c != EOF; c = getchar()) {
        char *place = strchr(from, c);
        putchar(c != 0 && place != NULL ? argv[2][place - from] : c);
    }
    return 0;
}
