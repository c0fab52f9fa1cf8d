#include <stdio.h>
#include <math.h>

int main(void)
{
  int limit, count = 0;
  int list[200];

  scanf("%d", &limit);

  for (int number = 2; number <= limit; number++) {
    int ok = 1;
    for (int i = 0; i < count; i++) {
      if (number % list[i] == 0) {
        ok = 0;
        break;
      }
    }
    if (ok) {
      list[count++] = number;
    }
  }

  if (count > 0) {
    printf("Primes: ");
    for (int i = 0; i < count; i++) {
      printf("%d", list[i]);
      if (i < count - 1) {
        printf(" ");
      } else {
        printf("\n");
      }
    }
  }
  printf("%d primes\n", count);
  return 0;
}
