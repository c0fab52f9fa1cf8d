#include <stdio.h>

double compute(double a, char op, double b)
{
    if (op == '+')
        return a + b;
    if (op == '-')
        return a - b;
    if (op == '*')
        return a * b;
    return a / b;
}

int main(void)
{
    double a, b;
    char op;

    while (scanf("%lf %c %lf", &a, &op, &b) == 3)
    {
        if (op == '/' && b == 0)
        {
            printf("division by zero\n");
        }
        else
        {
            printf("%g %c %g = %g\n", a, op, b, compute(a, op, b));
        }
    }
    return 0;
}
