/* Converts binary numbers to decimal ones. */
#include <stdio.h>

static int value_of(const char *word)
{
    int value = 0;

    for (int i = 0; word[i] != '\0'; i++) {
        if (word[i] != '0' && word[i] != '1') {
            return -1;
        }
        value = 2 * value + (word[i] - '0');
    }
    return value;
}

int main(void)
{
    char word[101];

    while (scanf("%100s", word) == 1) {
        int value = value_of(word);
        if (value < 0) {
            printf("invalid\n");
        } else {
            printf("%d\n", value);
        }
    }
    return 0;
}
