#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char c;
    // TODO: check argv
    while (read(0, &c, 1) > 0)
    {
        for (int i = 0; i < strlen(argv[1]); i++)
        {
            if (c == argv[1][i])
            {
                c = argv[2][i];
                break;
            }
        }
        write(1, &c, 1);
    }
}
