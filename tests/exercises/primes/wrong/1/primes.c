#include <stdio.h>

int main()
{
    int n, i, j, teiler, anzahl = 0;

    scanf("%d", &n);
    for (i = 2; i <= n; i++)
    {
        teiler = 0;
        for (j = 1; j <= i; j++)
        {
            if (i % j == 0)
                teiler++;
        }
        if (teiler == 2)
        {
            printf("%d ", i);
            anzahl++;
        }
    }
    if (anzahl > 0)
        printf("\n");
    printf("%d primes\n", anzahl);
    return 0;
}
