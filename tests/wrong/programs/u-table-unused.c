#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned char table[256];

void buildTable(const char *from, const char *to)
{
    for (int i = 0; i < 256; i++)
        table[i] = (unsigned char)i;
    for (size_t i = 0; i < strlen(from); i++)
        table[(unsigned char)from[i]] = (unsigned char)to[i];
}

int main(int argc, char *argv[])
{
    unsigned char c, d;

    if (argc != 3)
    {
        fprintf(stderr, "two operands needed\n");
        exit(1);
    }
    for (char *p = argv[1]; *p; p++)
        if (strchr(p + 1, *p) != NULL)
        {
            fprintf(stderr, "no duplicates allowed in from\n");
            exit(1);
        }
    if (strlen(argv[1]) == strlen(argv[2]))
        buildTable(argv[1], argv[2]);
    else
    {
        fprintf(stderr, "two operands of equal length needed\n");
        exit(1);
    }
    while (read(STDIN_FILENO, &c, 1) > 0)
    {
        d = table[c];
        write(STDOUT_FILENO, &c, 1);
    }
    return 0;
}
