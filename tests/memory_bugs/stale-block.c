#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char block[512];
    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    while (read(0, block, sizeof block) > 0)
        write(1, block, sizeof block); /* HERE */
    return 0;
}
