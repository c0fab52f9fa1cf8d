/* Prints each line of the input in reverse order. */
#include <stdio.h>
#include <string.h>

#define SIZE 256

int main(void)
{
    char line[SIZE];

    while (fgets(line, SIZE, stdin) != NULL) {
        int length = strlen(line);
        if (length > 0 && line[length - 1] == '\n') {
            length--;
        }
        for (int i = length - 1; i >= 0; i--) {
            putchar(line[i]);
        }
        putchar('\n');
    }
    return 0;
}
