#include <stdio.h>
#include <string.h>
#include <stdlib.h>

static void die(const char *msg) {
  fputs(msg, stderr);
  fputc('\n', stderr);
  exit(EXIT_FAILURE);
}

int main(int argc, const char *argv[]) {
  if (argc < 3) die("please provide two arguments");

  const unsigned char *from = (const unsigned char *) argv[1];
  const unsigned char *to = (const unsigned char *) argv[2];
  int len = strlen(argv[1]);

  if (len != (int) strlen(argv[2])) die("arguments must be the same length");

  for (int i = 0; i < len; i++)
    for (int j = 0; j < i; j++)
      if (from[i] == from[j]) die("no duplicates allowed");

  unsigned char c;
  while ((c = getchar()) != EOF) {
    int k = 0;
    while (k < len && from[k] != c) k++;
    putchar(k < len ? to[k] : c);
  }
  return EXIT_SUCCESS;
}
