#include <stdio.h>

int main(void)
{
    char line[210];

    /* read the line, and print its runs */
    return 0;
}
