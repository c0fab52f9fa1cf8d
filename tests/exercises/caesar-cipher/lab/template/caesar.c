#include <stdio.h>

int main(void)
{
    /* read the key, then encrypt the text */
    return 0;
}
