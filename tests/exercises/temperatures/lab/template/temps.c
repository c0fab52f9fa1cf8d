#include <stdio.h>

int main(void)
{
    int first, last, step;

    /* read the numbers, and print the table */
    return 0;
}
