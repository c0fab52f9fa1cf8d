#include <stdio.h>

int main(void) {
  int years[3000];
  int n = 0;
  int start, end;

  scanf("%d%d", &start, &end);

  for (int y = start; y <= end; y++) {
    if (y % 4 == 0 || (y % 100 != 0 && y % 400 == 0)) {
      years[n] = y;
      n++;
    }
  }

  if (n == 0) {
    printf("none\n");
    return 0;
  }

  for (int i = 0; i < n - 1; i++) {
    printf("%d, ", years[i]);
  }
  printf("%d\n", years[n - 1]);
  return 0;
}
