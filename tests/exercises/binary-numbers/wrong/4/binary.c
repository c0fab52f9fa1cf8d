#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char bits[100];

    while (scanf("%99s", bits) == 1)
    {
        long number = 0;
        int pos = 0;
        while (bits[pos] == '0' || bits[pos] == '1')
        {
            number = number * 2;
            if (bits[pos] == '1')
            {
                number++;
            }
            pos++;
        }
        printf("%ld\n", number);
    }
    return 0;
}
