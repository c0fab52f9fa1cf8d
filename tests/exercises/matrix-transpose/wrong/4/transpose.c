#include <stdio.h>

int main(void)
{
  int r, c;
  int x[20][20];

  scanf("%d", &r);
  scanf("%d", &c);

  // read it with rows and columns exchanged
  for (int i = 0; i < c; i++) {
    for (int j = 0; j < r; j++) {
      scanf("%d", &x[i][j]);
    }
  }

  for (int i = 0; i < c; i++) {
    for (int j = 0; j < r; j++) {
      printf("%d ", x[i][j]);
    }
    printf("\n");
  }
  return 0;
}
