#include <stdio.h>

int main(void)
{
    int height, width, row, col;
    int numbers[20][20];

    scanf("%i %i", &height, &width);

    row = 0;
    while (row < height)
    {
        col = 0;
        while (col < width)
        {
            scanf("%i", &numbers[col][row]);
            col++;
        }
        row++;
    }

    col = 0;
    while (col < width)
    {
        row = 0;
        while (row < height)
        {
            printf("%i", numbers[col][row]);
            row++;
        }
        printf("\n");
        col++;
    }
    return 0;
}
