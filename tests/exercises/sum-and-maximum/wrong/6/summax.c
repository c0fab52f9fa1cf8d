#include <stdio.h>

// returns the larger of the two
int max2(int a, int b)
{
    return a < b ? a : b;
}

int main(void)
{
    int n, cnt = 0;
    int sum = 0, max = 0;
    for (; scanf("%d", &n) != EOF; cnt++)
    {
        sum += n;
        if (cnt == 0)
            max = n;
        else
            max = max2(max, n);
    }
    if (cnt)
        printf("sum: %d\nmax: %d\n", sum, max);
    else
        printf("no numbers\n");
}
