#include <stdio.h>
#include <stdbool.h>

bool schaltjahr(int jahr)
{
    bool ergebnis = false;
    if (jahr % 4 == 0) {
        ergebnis = true;
        if (jahr % 100 == 0 && jahr % 400 != 0) {
            ergebnis = false;
        }
    }
    return ergebnis;
}

int main(void)
{
    int von, bis;
    scanf("%d %d", &von, &bis);

    /* first one */
    while (von <= bis && !schaltjahr(von)) {
        von++;
    }
    if (von > bis) {
        puts("none");
        return 0;
    }
    printf("%d", von);
    for (von++; von <= bis; von++) {
        if (schaltjahr(von)) {
            printf(",%d", von);
        }
    }
    puts("");
    return 0;
}
