#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char ch;

    if (argv[1] == NULL || argv[2] == NULL)
    {
        perror("Run with two arguments");
        exit(errno + 1);
    }
    int n = strlen(argv[1]);
    int m = strlen(argv[2]);
    if (n != m)
    {
        fprintf(stderr, "Run with arguments of one size\n");
        exit(1);
    }
    for (int i = 0; i < n; i++)
    {
        for (int j = i + 1; j < n; j++)
        {
            if (argv[1][i] == argv[1][j])
            {
                fprintf(stderr, "Run without duplicates\n");
                exit(1);
            }
        }
    }
    while (read(0, &ch, 1) > 0)
    {
        write(1, &ch, 1);
        for (int i = 0; i < n; i++)
        {
            if (ch == argv[1][i])
            {
                ch = argv[2][i];
                break;
            }
        }
    }
    return 0;
}
