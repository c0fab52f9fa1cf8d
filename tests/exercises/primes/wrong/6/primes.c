#include <stdio.h>
#include <stdbool.h>

bool check(int z)
{
    int t = 2;
    while (t < z) {
        if (z % t == 0)
            return false;
        t = t + 1;
    }
    return true;
}

int main(void)
{
    int n, z, k;
    k = 0;
    scanf("%d", &n);
    z = 2;
    while (z <= n) {
        if (check(z)) {
            if (k) printf(" ");
            printf("%d", z);
            k = k + 1;
        }
        z = z + 1;
    }
    if (k) printf("\n");
    printf("%d prime numbers\n", k);
    return 0;
}
