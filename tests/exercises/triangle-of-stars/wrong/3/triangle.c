#include <stdio.h>

int main(void) {
  int height;
  scanf("%d", &height);

  if (height < 1) {
    printf("nothing to draw\n");
    return 0;
  }

  for (int row = 0; row < height; row++) {
    if (row != 0) {
      printf("\n");
    }
    printf("*");
    for (int col = 0; col < row; col++) {
      printf(" *");
    }
  }
  return 0;
}
