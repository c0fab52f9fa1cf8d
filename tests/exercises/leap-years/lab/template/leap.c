#include <stdio.h>

int main(void)
{
    int first, last;

    if (scanf("%d %d", &first, &last) != 2) {
        return 1;
    }
    /* print the leap years */
    return 0;
}
