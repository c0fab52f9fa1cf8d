/* Reads calculations like "3 + 4", and prints them with their results. */
#include <stdio.h>

int main(void)
{
    int a, b;
    char op;

    while (scanf("%d %c %d", &a, &op, &b) == 3) {
        int result;

        if (op == '+') {
            result = a + b;
        } else if (op == '-') {
            result = a - b;
        } else if (op == '*') {
            result = a * b;
        } else if (op == '/' && b != 0) {
            result = a / b;
        } else if (op == '/') {
            printf("division by zero\n");
            continue;
        } else {
            printf("unknown operator\n");
            continue;
        }
        printf("%d %c %d = %d\n", a, op, b, result);
    }
    return 0;
}
