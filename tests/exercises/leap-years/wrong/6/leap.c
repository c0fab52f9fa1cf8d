#include <stdio.h>

int main(void)
{
    int begin, end, i;
    char *sep = "";
    int none = 1;

    if (scanf("%d %d", &begin, &end) < 2)
    {
        return 1;
    }
    i = begin;
    do
    {
        if (i % 1000 == 0)
        {
            printf("%s%d", sep, i);
            sep = ", ";
            none = 0;
        }
        else if (i % 100 != 0 && i % 4 == 0)
        {
            printf("%s%d", sep, i);
            sep = ", ";
            none = 0;
        }
        i++;
    } while (i <= end);
    if (none)
        printf("none");
    return 0;
}
