#include <stdio.h>

int main(void)
{
    /* read the numbers, then print their sum and maximum */
    return 0;
}
