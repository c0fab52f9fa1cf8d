#include <stdio.h>

int main()
{
    int x, s, m;

    if (scanf("%d", &x) != 1) {
        printf("no numbers\n");
        return 0;
    }
    s = x;
    m = x;
    while (scanf("%d", &x) == 1) {
        s = s + x;
        if (x > m)
            m = x;
    }
    printf("sum: %d\nmax: %d", s, m);
    return 0;
}
