/* tr2u - übersetzt Bytes ohne Puffer (Gruppe 7, Jürgen & Zoë) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char zeichen = 0;
    int i, j;

    if (argc != 3)
        fprintf(stderr, "Aufruf: tr2u von nach\n");
    if (strlen(argv[1]) != strlen(argv[2])) {
        fprintf(stderr, "tr2u: die Operanden sind verschieden lang\n");
        exit(1);
    }
    for (i = 0; argv[1][i]; i++)
        for (j = i + 1; argv[1][j]; j++)
            if (argv[1][i] == argv[1][j]) {
                fprintf(stderr, "tr2u: doppeltes Byte\n");
                exit(1);
            }
    while (zeichen != '\n' && read(0, &zeichen, 1) > 0) {
        char neu = zeichen;
        for (i = 0; argv[1][i]; i++)
            if (zeichen == argv[1][i])
                neu = argv[2][i];
        write(1, &neu, 1);
    }
    return 0;
}
