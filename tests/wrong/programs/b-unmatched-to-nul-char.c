#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
  char c;
  size_t i;

  if (argc != 3 || strlen(argv[1]) != strlen(argv[2])) {
    fprintf(stderr, "usage: tr2b from to (same length)\n");
    exit(1);
  }
  for (i = 0; argv[1][i]; i++) {
    if (strrchr(argv[1], argv[1][i]) != argv[1] + i) {
      fprintf(stderr, "tr2b: duplicates in from\n");
      exit(1);
    }
  }
  while ((c = getchar()) != EOF) {
    i = 0;
    while (argv[1][i] != '\0' && argv[1][i] != c)
      i++;
    putchar(argv[2][i]);
  }
  return 0;
}
