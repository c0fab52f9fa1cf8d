#include <stdio.h>

/* Lab 2, triangle */
int main(void)
{
    int n = 0;
    scanf("%d", &n);

    if (n > 0)
    {
        while (n > 0)
        {
            for (int x = 0; x < n; x++)
            {
                if (x == n - 1)
                    printf("*\n");
                else
                    printf("* ");
            }
            n--;
        }
    }
    else
    {
        printf("nothing to draw");
    }
    return 0;
}
