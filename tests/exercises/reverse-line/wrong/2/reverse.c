#include <stdio.h>
#include <string.h>

void reverse_print(char *s)
{
    int newline = 0;
    int i = strlen(s) - 1;

    if (s[i] == '\n') {
        newline = 1;
        i--;
    }
    while (i >= 0)
        printf("%c", s[i--]);
    if (newline)
        printf("\n");
}

int main(void)
{
    char s[300];

    while (fgets(s, 300, stdin))
        reverse_print(s);
    return 0;
}
