#include <stdio.h>
#include <string.h>

int main(void)
{
    char zeile[500];
    int woerter = 0;
    int laengstes = 0;
    int laenge = 0;
    int i;

    while (fgets(zeile, 500, stdin)) {
        for (i = 0; i <= (int)strlen(zeile); i++) {
            char z = zeile[i];
            if (z == ' ' || z == '\t' || z == '\n' || z == '\0') {
                if (laenge > 0)
                    woerter++;
                laenge = 0;
                if (laenge > laengstes)
                    laengstes = laenge;
            }
            else {
                laenge++;
            }
        }
    }

    printf("words: %d\n", woerter);
    printf("longest: %d\n", laengstes);
    return 0;
}
