#include <stdio.h>

int main(void)
{
    int c;

    while ((c = getchar()) != EOF) {
        /* is it a digit? */
    }
    return 0;
}
