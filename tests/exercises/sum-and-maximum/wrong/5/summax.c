#include <stdio.h>
#include <limits.h>

int main(void)
{
    int num = 0, sum = 0, max = INT_MIN, found = 0;

    while (!feof(stdin)) {
        if (scanf("%d", &num) == 1)
            found = 1;
        sum = sum + num;
        if (num > max) {
            max = num;
        }
    }
    if (found == 0)
        printf("no numbers\n");
    else
    {
        printf("sum: %d\n", sum);
        printf("max: %d\n", max);
    }
    return 0;
}
