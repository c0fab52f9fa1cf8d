#include <stdio.h>

int main(void)
{
    int a, b, s, c;
    double f;

    scanf("%d %d %d", &a, &b, &s);
    printf("C F\n");
    for (c = a; c <= b; c = c + s) {
        f = c * (9 / 5) + 32;
        printf("%d %.1f\n", c, f);
    }
    return 0;
}
