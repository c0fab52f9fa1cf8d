#include <stdio.h>

int main(void)
{
    int number;

    while (scanf("%d", &number) == 1) {
        /* ... */
    }
    return 0;
}
