#include <stdio.h>
#include <string.h>

void swap(char *a, char *b)
{
    char tmp = *a;
    *a = *b;
    *b = tmp;
}

int main(void)
{
    char line[256];

    while (fgets(line, sizeof line, stdin)) {
        int n = strlen(line);
        if (line[n - 1] == '\n')
            line[--n] = '\0';
        for (int i = 0; i < n; i++)
            swap(&line[i], &line[n - 1 - i]);
        puts(line);
    }
    return 0;
}
