#include <stdio.h>

int main(void)
{
    int c;

    while ((c = getchar()) != EOF) {
        /* does a word begin here? */
    }
    return 0;
}
