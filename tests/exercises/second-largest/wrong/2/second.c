#include <stdio.h>

int main(void)
{
  int x, first, second;
  int cnt = 0;

  while (scanf("%d", &x) == 1) {
    if (cnt == 0) {
      first = x;
      cnt = 1;
    }
    else if (x > first) {
      second = first;
      first = x;
      cnt = 2;
    }
    else if (cnt == 1 || x > second) {
      second = x;
      cnt = 2;
    }
  }

  if (cnt < 2) {
    printf("no second largest\n");
    return 0;
  }
  printf("second largest: %d\n", second);
  return 0;
}
