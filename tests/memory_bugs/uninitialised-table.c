#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char table[256];
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int i = 0; argv[1][i] != '\0'; i++)
        table[(unsigned char)argv[1][i]] = argv[2][i];
    for (int c = getchar(); c != EOF; c = getchar())
        putchar(table[c]); /* HERE */
    return 0;
}
