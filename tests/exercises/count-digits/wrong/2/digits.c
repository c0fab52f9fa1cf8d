#include <stdio.h>

int main(void) {
  char text[10000];
  int length = 0;
  int ch;
  int n = 0;
  int sum = 0;

  // first read everything
  while ((ch = getchar()) != EOF && length < 10000) {
    text[length] = ch;
    length++;
  }

  // then look for each digit
  for (char digit = '0'; digit <= '9'; digit++) {
    for (int i = 0; i < length; i++) {
      if (text[i] == digit) {
        n++;
        sum++;
      }
    }
    if (digit > '0')
      printf(" ");
    printf("%d", n);
  }
  printf("\n");
  printf("digits: %d\n", sum);
  return 0;
}
