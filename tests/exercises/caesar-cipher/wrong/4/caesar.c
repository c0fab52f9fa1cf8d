#include <stdio.h>
#include <string.h>

int main() {
  int key;
  char text[1000];
  scanf("%d ", &key);
  fgets(text, 1000, stdin);
  for (int i = 0; i < (int)strlen(text); i++) {
    if (text[i] >= 'a' && text[i] <= 'z')
      text[i] = 'a' + (text[i] - 'a' + key) % 26;
    else if (text[i] >= 'A' && text[i] <= 'Z')
      text[i] = 'A' + (text[i] - 'A' + key) % 26;
  }
  printf("%s", text);
  return 0;
}
