#include <stdio.h>

int sum(int zahlen[], int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += zahlen[i];
    }
    return s;
}

int maximum(int zahlen[], int n) {
    int m = zahlen[0];
    for (int i = 1; i < n; i++) {
        if (zahlen[i] > m) {
            m = zahlen[i];
        }
    }
    return m;
}

int main(void) {
    int zahlen[500] = {0};
    int n = 0;
    while (scanf("%d", &zahlen[n]) == 1) {
        n++;
    }
    printf("sum: %d\n", sum(zahlen, n));
    printf("max: %d\n", maximum(zahlen, n));
    return 0;
}
