/* Tells for each word of the input whether it is a palindrome. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_palindrome(const char *word)
{
    int left = 0;
    int right = strlen(word) - 1;

    while (left < right) {
        if (tolower(word[left]) != tolower(word[right])) {
            return false;
        }
        left++;
        right--;
    }
    return true;
}

int main(void)
{
    char word[51];
    int count = 0;

    while (scanf("%50s", word) == 1) {
        if (is_palindrome(word)) {
            printf("%s: yes\n", word);
            count++;
        } else {
            printf("%s: no\n", word);
        }
    }
    printf("palindromes: %d\n", count);
    return 0;
}
