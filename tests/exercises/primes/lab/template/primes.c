#include <stdio.h>

int main(void)
{
    int n;

    if (scanf("%d", &n) != 1) {
        return 1;
    }
    /* print the primes up to n */
    return 0;
}
