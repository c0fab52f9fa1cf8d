#include <stdio.h>
#include <string.h>

void print_run(char letter, int length)
{
  printf("%d%d ", letter, length);
}

int main(void)
{
  char text[300];
  if (!fgets(text, 300, stdin))
    return 1;
  text[strlen(text) - 1] = 0;
  int i = 0;
  while (text[i]) {
    int j = i;
    while (text[j] == text[i])
      j++;
    print_run(text[i], j - i);
    i = j;
  }
  puts("");
  return 0;
}
