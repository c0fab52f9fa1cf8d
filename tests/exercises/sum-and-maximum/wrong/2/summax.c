#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int numbers = 0;
  int total = 0;
  int biggest = 0;
  int value;
  int ret;

  do {
    ret = scanf("%d", &value);
    if (ret == 1) {
      numbers = numbers + 1;
      total = total + value;
      if (value > biggest) {
        biggest = value;
      }
    }
  } while (ret == 1);

  if (numbers > 0) {
    printf("sum: %d\n", total);
    printf("max: %d\n", biggest);
  } else {
    printf("no numbers\n");
  }
  return EXIT_SUCCESS;
}
