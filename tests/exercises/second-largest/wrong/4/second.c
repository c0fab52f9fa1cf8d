#include <stdio.h>

int main(void)
{
    int largest = 0;
    int secondLargest = 0;
    int num;
    int different = 0;

    while (scanf("%d", &num) == 1)
    {
        if (num > largest)
        {
            secondLargest = largest;
            largest = num;
            different++;
        }
        else if (num < largest && num > secondLargest)
        {
            secondLargest = num;
            different++;
        }
    }

    if (different >= 2)
        printf("second largest:%d\n", secondLargest);
    else
        printf("no second largest\n");

    return 0;
}
