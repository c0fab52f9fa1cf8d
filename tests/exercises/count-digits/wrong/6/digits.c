#include <stdio.h>

int count(char s[], char d)
{
    int n = 0;
    for (int i = 0; s[i] != '\0'; i++)
        if (s[i] == d)
            n++;
    return n;
}

int main(void)
{
    char text[1000] = "";
    int total = 0;

    fgets(text, sizeof(text), stdin);
    for (char d = '0'; d <= '9'; d++) {
        int n = count(text, d);
        total += n;
        if (d != '0')
            printf(" ");
        printf("%d", n);
    }
    printf("\n");
    printf("digits: %d\n", total);
    return 0;
}
