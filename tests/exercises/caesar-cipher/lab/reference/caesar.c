/* Moves each letter of a text forward by a key. */
#include <stdio.h>

int main(void)
{
    int key;
    int c;

    if (scanf("%d", &key) != 1) {
        return 1;
    }
    getchar();
    while ((c = getchar()) != EOF) {
        if (c >= 'a' && c <= 'z') {
            c = 'a' + (c - 'a' + key) % 26;
        } else if (c >= 'A' && c <= 'Z') {
            c = 'A' + (c - 'A' + key) % 26;
        }
        putchar(c);
    }
    return 0;
}
