/* Prints each run of equal letters with its length. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[210];

    if (fgets(line, sizeof(line), stdin) == NULL) {
        return 1;
    }
    line[strcspn(line, "\n")] = '\0';

    int count = 1;
    for (int i = 0; line[i] != '\0'; i++) {
        if (line[i] == line[i + 1]) {
            count++;
        } else {
            printf("%c%d", line[i], count);
            count = 1;
        }
    }
    printf("\n");
    return 0;
}
