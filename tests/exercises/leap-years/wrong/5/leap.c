#include <stdio.h>

int main(void)
{
    int y1, y2;
    int i, count = 0;

    scanf("%d %d", &y1, &y2);
    for (i = y1; i <= y2; i++)
    {
        if (i % 400 == 0 || (i % 4 == 0 && i % 100))
        {
            if (count == 0)
                printf("Leap years: %d", i);
            else
                printf(", %d", i);
            count++;
        }
    }
    if (count == 0)
        printf("none");
    printf("\n");
    return 0;
}
