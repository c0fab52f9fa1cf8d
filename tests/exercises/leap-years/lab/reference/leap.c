/* Prints the leap years between two years. */
#include <stdbool.h>
#include <stdio.h>

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int main(void)
{
    int first, last;
    int count = 0;

    if (scanf("%d %d", &first, &last) != 2) {
        return 1;
    }
    for (int year = first; year <= last; year++) {
        if (is_leap(year)) {
            if (count > 0) {
                printf(", ");
            }
            printf("%d", year);
            count++;
        }
    }
    if (count == 0) {
        printf("none");
    }
    printf("\n");
    return 0;
}
