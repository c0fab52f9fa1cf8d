/* Reads numbers until the end of input, and prints their sum and maximum. */
#include <stdio.h>

int main(void)
{
    int number;
    int sum = 0;
    int max = 0;
    int count = 0;

    while (scanf("%d", &number) == 1) {
        if (count == 0 || number > max) {
            max = number;
        }
        sum += number;
        count++;
    }

    if (count == 0) {
        printf("no numbers\n");
        return 0;
    }

    printf("sum: %d\n", sum);
    printf("max: %d\n", max);
    return 0;
}
