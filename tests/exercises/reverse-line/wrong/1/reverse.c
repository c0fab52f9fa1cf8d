#include <stdio.h>

int main(void)
{
    int c, n = 0;
    char buf[201];

    while ((c = getchar()) != EOF) {
        if (c == '\n') {
            while (n > 0) {
                n--;
                putchar(buf[n]);
            }
            putchar('\n');
        } else {
            buf[n] = c;
            n++;
        }
    }
    return 0;
}
