#include <stdio.h>
#include <limits.h>

int main(void)
{
    int n;
    int max = INT_MIN, second = INT_MIN;

    while (scanf("%d", &n) == 1) {
        if (n > max) {
            max = n;
        } else if (n > second && n != max) {
            second = n;
        }
    }
    if (second == INT_MIN)
        printf("no second largest\n");
    else
        printf("second largest: %d\n", second);
    return 0;
}
