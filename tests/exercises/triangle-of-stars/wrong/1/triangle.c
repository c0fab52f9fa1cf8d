#include <stdio.h>

int main()
{
    int i, j, n;

    scanf("%d", &n);
    if (n < 1)
        printf("nothing to draw\n");
    for (i = 1; i <= n; i++)
    {
        for (j = 1; j <= i; j++)
        {
            printf("* ");
        }
        printf("\n");
    }
    return 0;
}
