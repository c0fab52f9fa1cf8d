#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv)
{
  char* from = argv[1];
  char* to = argv[2];
  int i, j;
  char ch;

  if (strlen(from) != strlen(to)) {
    fprintf(stderr, "lengths\n");
    return 1;
  }
  for (i = 0; i < strlen(from); i++) {
    for (j = i + 1; j < strlen(from); j++) {
      if (from[i] == from[j]) {
        fprintf(stderr, "duplicates\n");
        return 1;
      }
    }
  }
  while (read(0, &ch, 1) > 0) {
    for (i = 0; i < strlen(from); i++) {
      if (ch == from[i]) {
        ch = to[i];
        break;
      }
    }
    printf("%c", ch);
  }
  return 0;
}
