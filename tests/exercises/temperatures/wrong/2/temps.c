#include <stdio.h>

int main(void) {
  int start, end, step;
  scanf("%d%d%d", &start, &end, &step);
  int t = start;
  while (t < end) {
    printf("C F\n");
    printf("%d %.1f\n", t, t * 1.8 + 32);
    t += step;
  }
  return 0;
}
