#include <stdio.h>
#include <string.h>

void reverse(char *from, char *to)
{
    int n = strlen(from);
    int i;
    for (i = 0; i < n; i++)
        to[i] = from[n - i - 1];
    to[n] = '\0';
}

int main(void)
{
    char word[64];
    char rev[64];
    int yes = 0;

    while (scanf("%63s", word) == 1)
    {
        reverse(word, rev);
        if (strcmp(word, rev) == 0)
        {
            printf("%s: yes\n", word);
            yes++;
        }
        else
        {
            printf("%s: no\n", word);
        }
    }
    printf("palindromes: %d\n", yes);
    return 0;
}
