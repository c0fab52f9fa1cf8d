#include <stdio.h>

void print_counts(int a[], int n)
{
    int i = 0;
    while (i < n - 1)
    {
        printf("%d ", a[i]);
        i++;
    }
    printf("%d\n", a[n - 1]);
}

int main(void)
{
    char c;
    int a[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    int number = 0;

    while (scanf("%c", &c) == 1)
    {
        if (c >= 49 && c <= 57)
        {
            a[c - 48]++;
            number++;
        }
    }
    print_counts(a, 10);
    printf("digits: %d\n", number);
    return 0;
}
