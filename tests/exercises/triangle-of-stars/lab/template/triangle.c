#include <stdio.h>

int main(void)
{
    int n = 0;

    scanf("%d", &n);
    /* draw n lines of stars */
    return 0;
}
