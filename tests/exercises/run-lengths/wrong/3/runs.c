#include <stdio.h>

int main(void)
{
    char word[201] = "";
    int i = 0;
    int counter = 0;

    scanf("%200[^\n]", word);

    while (word[i] != '\0')
    {
        if (word[i] == word[i + 1])
            counter++;
        else
        {
            printf("%c%d", word[i], counter);
            counter = 0;
        }
        i++;
    }
    return 0;
}
