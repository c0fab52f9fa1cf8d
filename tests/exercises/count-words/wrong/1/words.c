#include <stdio.h>
#include <ctype.h>

int main(void)
{
    int c;
    int len = 0, max = 0, count = 0;

    while ((c = getchar()) != EOF)
    {
        if (isspace(c))
        {
            if (len > 0)
            {
                count++;
                if (len > max)
                    max = len;
            }
            len = 0;
        }
        else
            len++;
    }
    printf("words: %d\n", count);
    printf("longest: %d\n", max);
    return 0;
}
