#include <stdio.h>

int convert(char *s) {
  int result = 0;
  int i = 0;
  while (s[i] != '\0') {
    if (s[i] != '0' && s[i] != '1')
      return -1;
    result = result * 2 + s[i];
    i++;
  }
  return result;
}

int main(void) {
  char s[50];
  while (scanf("%49s", s) != EOF) {
    int r = convert(s);
    if (r == -1)
      printf("invalid\n");
    else
      printf("%d\n", r);
  }
  return 0;
}
