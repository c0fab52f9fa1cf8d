#include <stdio.h>

int main(void)
{
    int n;
    int candidate;
    int divisor;
    int isPrime = 1;
    int numPrimes = 0;

    scanf("%d", &n);

    for (candidate = 2; candidate <= n; candidate++)
    {
        for (divisor = 2; divisor < candidate; divisor++)
        {
            if (candidate % divisor == 0)
            {
                isPrime = 0;
            }
        }
        if (isPrime)
        {
            if (numPrimes == 0)
                printf("%d", candidate);
            else
                printf(" %d", candidate);
            numPrimes++;
        }
    }
    if (numPrimes != 0)
        printf("\n");
    printf("%d primes\n", numPrimes);
    return 0;
}
