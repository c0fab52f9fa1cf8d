#include <stdio.h>

int main(void)
{
    char line[256];

    while (fgets(line, sizeof line, stdin) != NULL) {
        /* print it in reverse order */
    }
    return 0;
}
