/* Counts the words of the input, and finds the length of the longest. */
#include <stdio.h>

int main(void)
{
    int words = 0;
    int longest = 0;
    int length = 0;     /* of the current word, 0 between words */
    int c;

    while ((c = getchar()) != EOF) {
        if (c == ' ' || c == '\t' || c == '\n') {
            length = 0;
            continue;
        }
        if (length == 0) {
            words++;
        }
        length++;
        if (length > longest) {
            longest = length;
        }
    }

    printf("words: %d\n", words);
    printf("longest: %d\n", longest);
    return 0;
}
