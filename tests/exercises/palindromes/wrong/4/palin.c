#include <stdio.h>
#include <string.h>

char small(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c + 26;
    return c;
}

int palindrome(char s[])
{
    int i, j;
    for (i = 0, j = strlen(s) - 1; i < j; i++, j--) {
        if (small(s[i]) != small(s[j]))
            return 0;
    }
    return 1;
}

int main(void)
{
    char s[51];
    int number = 0;

    while (scanf("%50s", s) == 1) {
        int p = palindrome(s);
        printf("%s: %s\n", s, p ? "yes" : "no");
        number += p;
    }
    printf("palindromes: %d\n", number);
    return 0;
}
