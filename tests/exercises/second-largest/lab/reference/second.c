/* Finds the second largest of the different numbers in the input. */
#include <stdio.h>

int main(void)
{
    int number;
    int largest = 0;
    int second = 0;
    int count = 0;      /* of different numbers, at most 2 */

    while (scanf("%d", &number) == 1) {
        if (count == 0) {
            largest = number;
            count = 1;
        } else if (number > largest) {
            second = largest;
            largest = number;
            count = 2;
        } else if (number < largest && (count == 1 || number > second)) {
            second = number;
            count = 2;
        }
    }

    if (count < 2) {
        printf("no second largest\n");
    } else {
        printf("second largest: %d\n", second);
    }
    return 0;
}
