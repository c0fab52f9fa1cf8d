#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the index of c in s, -1 if it isn't there */
int find(const char *s, int i, char c)
{
    if (s[i] == '\0')
        return -1;
    if (s[i] == c)
        return i;
    return find(s, i, c);
}

int main(int argc, char **argv)
{
    char c;
    int i;

    if (argc != 3) {
        fprintf(stderr, "tr2u: expects from and to\n");
        return 1;
    }
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "tr2u: expects equal lengths\n");
        return 1;
    }
    for (i = 0; argv[1][i] != '\0'; i++) {
        if (strchr(&argv[1][i + 1], argv[1][i]) != NULL) {
            fprintf(stderr, "tr2u: expects different bytes\n");
            return 1;
        }
    }
    while (read(0, &c, 1) == 1) {
        i = find(argv[1], 0, c);
        if (i >= 0)
            c = argv[2][i];
        write(1, &c, 1);
    }
    return 0;
}
