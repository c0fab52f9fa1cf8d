#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    if (argc != 3)
    {
        fprintf(stderr, "Invalid: operand count\n");
        return EXIT_FAILURE;
    }

    if (strlen(argv[1]) != strlen(argv[2]))
    {
        fprintf(stderr, "Invalid: operand length\n");
        return EXIT_FAILURE;
    }

    int i = 0;
    while (argv[1][i] != '\0')
    {
        int j = i + 1;
        while (argv[1][j] != '\0')
        {
            if (argv[1][i] == argv[1][j])
            {
                fprintf(stderr, "Invalid: duplicate\n");
                return EXIT_FAILURE;
            }
            j++;
        }
        i++;
    }

    char ch;
    while (read(0, &ch, 1) > 0)
    {
        i = 0;
        while (argv[1][i] != '\0')
        {
            if (argv[1][i] == ch)
            {
                ch = argv[2][i];
                write(1, &ch, 1);
                break;
            }
            i++;
        }
    }
    return EXIT_SUCCESS;
}
