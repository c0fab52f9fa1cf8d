#include <stdio.h>

int prime(int x) {
    if (x == 2 || x == 3 || x == 5) return 1;
    if (x % 2 == 0) return 0;
    if (x % 3 == 0) return 0;
    if (x % 5 == 0) return 0;
    return 1;
}

int main(void) {
    int n;
    int x = 3;
    int c = 1;

    scanf("%d", &n);
    if (n < 2) {
        printf("0 primes\n");
        return 0;
    }
    printf("2");
    while (x <= n) {
        if (prime(x)) {
            printf(" %d", x);
            c++;
        }
        x++;
    }
    printf("\n%d primes\n", c);
    return 0;
}
