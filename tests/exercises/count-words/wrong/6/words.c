#include <stdio.h>
#include <ctype.h>

int main(void)
{
    int prev = ' ', c = getchar();
    int words = 0, length = 0, longest = 0;

    while (c != EOF) {
        if (!isspace(c) && prev == ' ')
            words++;
        if (isspace(c))
            length = 0;
        else
            length++;
        longest = length > longest ? length : longest;
        prev = c;
        c = getchar();
    }

    printf("words: %d\nlongest: %d\n", words, longest);
    return 0;
}
