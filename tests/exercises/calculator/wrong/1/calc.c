#include <stdio.h>

int main(void)
{
    int x, y;
    char o;

    while (scanf("%d %c %d", &x, &o, &y) == 3)
    {
        switch (o)
        {
        case '+':
            printf("%d + %d = %d\n", x, y, x + y);
            break;
        case '-':
            printf("%d - %d = %d\n", x, y, x - y);
            break;
        case '*':
            printf("%d * %d = %d\n", x, y, x * y);
            break;
        case '/':
            if (y == 0)
                printf("division by zero");
            else
                printf("%d / %d = %d\n", x, y, x / y);
            break;
        default:
            printf("unknown operator");
        }
    }
    return 0;
}
