#include <stdio.h>

void calculate(const char *line)
{
    int a, b;
    char op;

    if (sscanf(line, "%d %c %d", &a, &op, &b) != 3)
        return;
    if (op == '+') printf("%d + %d = %d\n", a, b, a + b);
    else if (op == '-') printf("%d - %d = %d\n", a, b, a - b);
    else if (op == '*') printf("%d * %d = %d\n", a, b, a * b);
    else if (op != '/') printf("unknown operator\n");
    else if (b == 0) printf("division by zero\n");
    else printf("%d / %d = %d\n", a, b, a / b);
}

int main(void)
{
    char line[100];
    int n = 0;
    int c;

    while ((c = getchar()) != EOF) {
        if (c == '\n') {
            line[n] = '\0';
            calculate(line);
            n = 0;
        } else if (n < 99) {
            line[n++] = c;
        }
    }
    return 0;
}
