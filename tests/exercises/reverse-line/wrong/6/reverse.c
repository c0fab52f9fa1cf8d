#include <stdio.h>
#include <string.h>

// prints s from the back, recursive
void back(const char *s)
{
    if (*s == '\0')
        return;
    back(s + 1);
    putchar(*s);
}

int main(void)
{
    char text[202];

    while (fgets(text, 202, stdin) != NULL)
    {
        text[strlen(text) - 1] = '\0';   // no newline
        back(text);
        putchar('\n');
    }
    return 0;
}
