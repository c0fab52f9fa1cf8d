#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned char table[256];
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int i = 0; i < 256; i++)
        table[i] = i;
    for (int i = 0; argv[1][i] != '\0'; i++) {
        char from = argv[1][i];
        table[from] = argv[2][i]; /* HERE */
    }
    for (int c = getchar(); c != EOF; c = getchar())
        putchar(table[c]);
    return 0;
}
