#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[]) {
  unsigned char table[256];
  unsigned char byte = 0, trans;
  int i;

  if (argc < 3) {
    fprintf(stderr, "tr2u needs two arguments\n");
    exit(1);
  }

  char *from = argv[1];
  char *to = argv[2];

  for (i = 0; i < 256; i++) table[i] = i;
  for (i = 0; from[i] != '\0' && to[i] != '\0'; i++) {
    if (strchr(from, from[i]) != from + i) {
      fprintf(stderr, "byte in from is duplicated\n");
      exit(1);
    }
    table[(unsigned char) from[i]] = to[i];
  }
  if (from[i] != to[i]) {
    fprintf(stderr, "from and to not of equal length\n");
    exit(1);
  }

  while (read(0, &byte, 1) != EOF) {
    trans = table[byte];
    write(1, &trans, 1);
  }
  return 0;
}
