#include <stdio.h>
#include <ctype.h>

int main(void)
{
    int ch, i;
    int digit[10];
    int all = 0;

    for (i = 0; i < 10; i++)
        digit[i] = 0;

    while ((ch = getchar()) != EOF)
        if (isdigit(ch)) {
            ++digit[ch - '0'];
            ++all;
        }

    for (i = 0; i < 10; i++)
        printf("%d ", digit[i]);
    printf("\ndigits: %d\n", all);
    return 0;
}
