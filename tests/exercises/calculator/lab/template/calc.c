#include <stdio.h>

int main(void)
{
    int a, b;
    char op;

    while (scanf("%d %c %d", &a, &op, &b) == 3) {
        /* calculate and print */
    }
    return 0;
}
