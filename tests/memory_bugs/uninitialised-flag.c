#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int found;
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int c = getchar(); c != EOF; c = getchar()) {
        for (int i = 0; argv[1][i] != '\0'; i++)
            if (argv[1][i] == c) {
                putchar(argv[2][i]);
                found = 1;
            }
        if (!found) /* HERE */
            putchar(c);
    }
    return 0;
}
