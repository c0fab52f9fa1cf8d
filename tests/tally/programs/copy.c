/* Copies standard input to standard output, one byte a call: n + 1 reads and n writes for n bytes. */
#include <unistd.h>

int main(void)
{
    char byte = 0;
    while (read(0, &byte, 1) == 1)
        if (write(1, &byte, 1) != 1)
            return 1;
    return 0;
}
