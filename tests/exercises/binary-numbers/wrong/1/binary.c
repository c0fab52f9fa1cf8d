#include <stdio.h>

int main(void)
{
    char w[64];
    int value = 0;
    int ok;

    while (scanf("%63s", w) == 1) {
        ok = 1;
        for (int i = 0; w[i] != '\0'; i++) {
            if (w[i] == '1')
                value = value * 2 + 1;
            else if (w[i] == '0')
                value = value * 2;
            else
                ok = 0;
        }
        if (ok)
            printf("%d\n", value);
        else
            printf("invalid\n");
    }
    return 0;
}
