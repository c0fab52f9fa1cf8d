#include <stdio.h>

int main(void)
{
    int zeilen;
    int z = 1;
    int s;

    scanf("%d", &zeilen);
    if (zeilen <= 0) {
        printf("nothing to draw\n");
    }

    while (z <= zeilen) {
        s = 1;
        while (s <= z) {
            putchar('*');
            if (s < z)
                putchar(' ');
            s++;
            putchar('\n');
        }
        z++;
    }
    return 0;
}
