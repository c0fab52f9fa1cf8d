#include <stdio.h>

char encrypt(char c, int n)
{
    if (c >= 'a') {
        c = (c - 'a' + n) % 26 + 'a';
    }
    else if (c >= 'A') {
        c = (c - 'A' + n) % 26 + 'A';
    }
    return c;
}

int main(void)
{
    int n;
    int c;
    scanf("%d\n", &n);
    c = getchar();
    while (c != EOF) {
        putchar(encrypt(c, n));
        c = getchar();
    }
    return 0;
}
