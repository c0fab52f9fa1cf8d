#include <stdio.h>

int main(void)
{
    char word[101];

    while (scanf("%100s", word) == 1) {
        /* print its value */
    }
    return 0;
}
