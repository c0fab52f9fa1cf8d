#include <stdio.h>

void stars(int k)
{
    int i;
    for (i = 1; i < k; i++)
        printf("* ");
    printf("*\n");
}

int main(void)
{
    int n, r;
    scanf("%d", &n);
    if (n < 1)
    {
        printf("nothing to draw\n");
        return 0;
    }
    for (r = 1; r < n; r++)
        stars(r);
    return 0;
}
