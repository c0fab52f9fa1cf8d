/* Counts how often each digit occurs in the input. */
#include <stdio.h>

int main(void)
{
    int counts[10] = {0};
    int total = 0;
    int c;

    while ((c = getchar()) != EOF) {
        if (c >= '0' && c <= '9') {
            counts[c - '0']++;
            total++;
        }
    }

    for (int d = 0; d < 10; d++) {
        if (d > 0) {
            printf(" ");
        }
        printf("%d", counts[d]);
    }
    printf("\n");
    printf("digits: %d\n", total);
    return 0;
}
