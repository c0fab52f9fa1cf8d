#include <stdio.h>

#define N 20

int matrix[N][N];
int zeilen, spalten;

void einlesen(void) {
    scanf("%d %d", &zeilen, &spalten);
    for (int z = 0; z < zeilen; z++) {
        for (int s = 0; s < spalten; s++) {
            scanf("%d", &matrix[z][s]);
        }
    }
}

void ausgeben(void) {
    for (int s = 0; s < spalten; s++) {
        for (int z = 0; z < zeilen; z++) {
            if (z > 0) {
                printf(" ");
            }
            printf("%d", matrix[z][s]);
        }
        if (s < spalten - 1) {
            printf("\n");
        }
    }
}

int main(void) {
    einlesen();
    ausgeben();
    return 0;
}
