#include <stdio.h>

int main(void)
{
    int rows, columns;

    if (scanf("%d %d", &rows, &columns) != 2) {
        return 1;
    }
    /* read the matrix and print it transposed */
    return 0;
}
