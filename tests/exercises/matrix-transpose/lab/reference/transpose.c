/* Reads a matrix and prints it transposed. */
#include <stdio.h>

#define MAX 20

int main(void)
{
    int matrix[MAX][MAX];
    int rows, columns;

    if (scanf("%d %d", &rows, &columns) != 2) {
        return 1;
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            if (scanf("%d", &matrix[i][j]) != 1) {
                return 1;
            }
        }
    }

    for (int j = 0; j < columns; j++) {
        printf("%d", matrix[0][j]);
        for (int i = 1; i < rows; i++) {
            printf(" %d", matrix[i][j]);
        }
        printf("\n");
    }
    return 0;
}
