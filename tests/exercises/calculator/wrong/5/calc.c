#include <stdio.h>
#include <string.h>

int main(void)
{
    int a, b;
    char op[10];

    while (scanf("%d %9s %d", &a, op, &b) == 3) {
        if (strcmp(op, "+") == 0) {
            printf("%d + %d = %d\n", a, b, a + b);
        }
        else if (strcmp(op, "-") == 0) {
            printf("%d - %d = %d\n", a, b, a - b);
        }
        else if (strcmp(op, "*") == 0) {
            printf("%d * %d = %d\n", a, b, a * b);
        }
        else if (strcmp(op, "/") == 0) {
            int quotient = a / b;
            if (b == 0) {
                printf("division by zero\n");
                continue;
            }
            printf("%d / %d = %d\n", a, b, quotient);
        }
        else {
            printf("unknown operator\n");
        }
    }
    return 0;
}
