#include <stdio.h>
#include <string.h>
#include <ctype.h>

int same(char a, char b)
{
    return tolower(a) == tolower(b);
}

int main(void)
{
    char line[500];
    char *word;
    int count = 0;

    while (fgets(line, 500, stdin) != NULL) {
        word = strtok(line, " \n");
        while (word != NULL) {
            int l = 0, r = strlen(word) - 1;
            while (l < r && same(word[l], word[r])) {
                l++;
                r--;
            }
            printf("%s: ", word);
            if (l >= r) {
                count++;
                printf("yes");
            } else {
                printf("no");
            }
            printf("\n");
            word = strtok(NULL, " \n");
        }
    }
    printf("palindromes: ");
    printf("%d", count);
    return 0;
}
