#include <stdio.h>

int main(void)
{
    char word[51];

    while (scanf("%50s", word) == 1) {
        /* is it a palindrome? */
    }
    return 0;
}
