#include <stdio.h>

int leap(int y)
{
    if (y % 400 == 0)
        return 1;
    if (y % 100 == 0)
        return 0;
    if (y % 4 == 0)
        return 1;
    return 0;
}

int main()
{
    int a, b, y, found = 0;

    scanf("%d %d", &a, &b);
    for (y = a; y <= b; y++) {
        if (leap(y) == 1) {
            if (found == 1)
                printf(", ");
            printf("%d", y);
            found = 1;
        }
    }
    if (found == 0)
        printf("none\n");
    return 0;
}
