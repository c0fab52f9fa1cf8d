#include <stdio.h>

static void print_line(int v[], int n)
{
    int i;
    for (i = 0; i < n - 1; i++)
        printf("%d\t", v[i]);
    printf("%d\n", v[n - 1]);
}

int main(void)
{
    int n, m, i, j;
    int columns[20][20];

    if (scanf("%d %d", &n, &m) != 2)
        return 1;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            scanf("%d", &columns[j][i]);
    for (j = 0; j < m; j++)
        print_line(columns[j], n);
    return 0;
}
