#include <stdio.h>
#include <string.h>
#include <ctype.h>

int main()
{
    char w[100];
    int n, i, ok, total = 0;

    while (scanf("%s", w) != EOF)
    {
        n = strlen(w);
        ok = 1;
        for (i = 0; i < n; i++)
        {
            if (tolower(w[i]) != tolower(w[n - 1 - i]))
                ok = 0;
        }
        if (ok)
        {
            printf("%s: yes\n", w);
            total++;
        }
        else
            printf("%s: no\n", w);
    }
    printf("palindromes: %d", total);
    return 0;
}
