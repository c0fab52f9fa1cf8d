#include <stdio.h>

int main(void)
{
    int k, ch;

    scanf("%d", &k);
    ch = getchar(); // the newline
    while ((ch = getchar()) != EOF) {
        if (ch >= 'a' && ch <= 'z')
            ch = ch + k;
        else if (ch >= 'A' && ch <= 'Z')
            ch = ch + k;
        putchar(ch);
    }
    return 0;
}
