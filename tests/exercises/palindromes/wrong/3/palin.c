#include <stdio.h>
#include <string.h>
#include <ctype.h>

int main(void) {
  char wort[60];
  int anzahl = 0;

  while (scanf("%59s", wort) == 1) {
    int ende = strlen(wort) - 1;
    char erster = tolower(wort[0]);
    char letzter = tolower(wort[ende]);

    if (erster == letzter) {
      printf("%s: yes\n", wort);
      anzahl++;
    } else {
      printf("%s: no\n", wort);
    }
  }
  printf("Palindromes: %d\n", anzahl);
  return 0;
}
