// tr2b.c -- first version, just the getchar/putchar loop
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    int c;

    if (argc != 3)
    {
        fprintf(stderr, "tr2b: operands\n");
        exit(1);
    }

    // TODO check lengths and duplicates

    while ((c = getchar()) != EOF)
    {
        // TODO translate c
        putchar(c);
    }
    return 0;
}
