#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "%s: needs a from and a to\n", argv[0]);
    exit(1);
  }
  int len = strlen(argv[1]);
  if (len != strlen(argv[2])) {
    fprintf(stderr, "%s: from and to must be of equal length\n", argv[0]);
    exit(1);
  }
  // only need to look at half, the pairs are symmetric
  for (int i = 0; i < len / 2; i++) {
    for (int j = i + 1; j < len; j++) {
      if (argv[1][i] == argv[1][j]) {
        fprintf(stderr, "%s: duplicate bytes in from\n", argv[0]);
        exit(1);
      }
    }
  }
  unsigned char xlate[256];
  for (int i = 0; i < 256; i++) xlate[i] = i;
  for (int i = 0; i < len; i++) xlate[(unsigned char) argv[1][i]] = argv[2][i];

  int c;
  while ((c = getchar()) != EOF) putchar(xlate[c]);
  return 0;
}
