/* Prints temperatures in Celsius and Fahrenheit. */
#include <stdio.h>

static double fahrenheit(int celsius)
{
    return celsius * 9.0 / 5.0 + 32.0;
}

int main(void)
{
    int first, last, step;

    if (scanf("%d %d %d", &first, &last, &step) != 3) {
        return 1;
    }
    printf("C F\n");
    for (int celsius = first; celsius <= last; celsius += step) {
        printf("%d %.1f\n", celsius, fahrenheit(celsius));
    }
    return 0;
}
