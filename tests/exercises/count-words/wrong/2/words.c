#include <stdio.h>

int main() {
    char c;
    int wordcount = 0;
    int longest = 0;
    int current = 0;

    while (scanf("%c", &c) != EOF) {
        if (c == ' ' || c == '\n' || c == '\t') {
            wordcount++;
            current = 0;
        } else {
            current++;
            if (current > longest) {
                longest = current;
            }
        }
    }
    printf("words: %d\n", wordcount);
    printf("longest: %d\n", longest);
    return 0;
}
