#include <stdio.h>
#include <string.h>

int main(void) {
    char s[256];
    fgets(s, 256, stdin);
    int n = 1;
    int len = strlen(s) - 1;
    for (int i = 0; i < len; i++) {
        if (s[i] == s[i+1]) {
            n++;
        } else {
            printf("%c%d", s[i], n);
        }
    }
    printf("\n");
    return 0;
}
