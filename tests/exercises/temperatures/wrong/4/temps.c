#include <stdio.h>

double toF(double celsius) {
    return celsius * 9 / 5 + 32;
}

int main(void) {
    int from, to, step;

    if (scanf("%d %d %d", &from, &to, &step) != 3) {
        printf("wrong input\n");
        return 1;
    }

    printf("Celsius Fahrenheit\n");
    for (int i = from; i <= to; i += step) {
        printf("%d %f\n", i, toF(i));
    }
    return 0;
}
