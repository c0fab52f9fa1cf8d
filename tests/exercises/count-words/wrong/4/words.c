#include <stdio.h>

#define IN 1
#define OUT 0

int main(void)
{
  int c, state, nw, l, lmax;

  state = OUT;
  nw = l = lmax = 0;
  while ((c = getchar()) != EOF) {
    if (c == ' ' || c == '\n' || c == '\t') {
      if (state == IN) {
        nw++;
        if (l > lmax) lmax = l;
      }
      state = OUT;
      l = 0;
    } else {
      state = IN;
      l++;
    }
  }
  printf("Words: %d\n", nw);
  printf("Longest: %d\n", lmax);
  return 0;
}
