/* Prints all primes up to a number. */
#include <stdbool.h>
#include <stdio.h>

static bool is_prime(int n)
{
    if (n < 2) {
        return false;
    }
    for (int d = 2; d * d <= n; d++) {
        if (n % d == 0) {
            return false;
        }
    }
    return true;
}

int main(void)
{
    int n;
    int count = 0;

    if (scanf("%d", &n) != 1) {
        return 1;
    }
    for (int i = 2; i <= n; i++) {
        if (is_prime(i)) {
            printf(count == 0 ? "%d" : " %d", i);
            count++;
        }
    }
    if (count > 0) {
        printf("\n");
    }
    printf("%d primes\n", count);
    return 0;
}
