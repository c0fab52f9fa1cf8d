#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int *table = malloc(256 * sizeof *table);
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int i = 0; argv[1][i] != '\0'; i++)
        table[(unsigned char)argv[1][i]] = argv[2][i];
    for (int c = getchar(); c != EOF; c = getchar())
        putchar(table[c] == 0 ? '?' : table[c]); /* HERE */
    free(table);
    return 0;
}
