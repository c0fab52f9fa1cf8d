#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    if (argc != 3)
    {
        fprintf(stderr, "Error: you must pass 2 arguments\n");
        exit(1);
    }
    int dup[256] = {0};
    for (const char *s = argv[1]; *s; s++)
    {
        if (dup[(unsigned char) *s]++)
        {
            fprintf(stderr, "Error: first argument has duplicates\n");
            exit(1);
        }
    }

    printf("Enter text to translate: ");

    char c;
    while ((c = getchar()) != EOF)
    {
        const char *s = argv[1];
        const char *t = argv[2];
        while (*s && *s != c)
        {
            s++;
            t++;
        }
        putchar(*s ? *t : c);
    }
    return 0;
}
