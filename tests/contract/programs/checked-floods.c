/* Writes to standard error without end. */
#include <stdio.h>

int main(void)
{
    for (;;)
        fputs("nothing that a checker would write\n", stderr);
}
