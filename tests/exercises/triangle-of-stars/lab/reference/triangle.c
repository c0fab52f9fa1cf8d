/* Draws a triangle of n lines of stars, with blanks between the stars. */
#include <stdio.h>

static void print_row(int stars)
{
    for (int i = 0; i < stars; i++) {
        if (i > 0) {
            putchar(' ');
        }
        putchar('*');
    }
    putchar('\n');
}

int main(void)
{
    int n;

    if (scanf("%d", &n) != 1 || n < 1) {
        printf("nothing to draw\n");
        return 0;
    }
    for (int row = 1; row <= n; row++) {
        print_row(row);
    }
    return 0;
}
