#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#define ASCII 128

int map[ASCII];

int main(int argc, char **argv) {
  int i, c;

  if (argc != 3) {
    fprintf(stderr, "tr2b error: argc\n");
    exit(1);
  }
  if (strlen(argv[1]) != strlen(argv[2])) {
    fprintf(stderr, "tr2b error: strlen\n");
    exit(1);
  }

  for (i = 0; i < ASCII; i++)
    map[i] = -1;

  for (i = 0; argv[1][i]; i++) {
    unsigned char k = (unsigned char) argv[1][i];
    unsigned char v = (unsigned char) argv[2][i];
    if (map[k] != -1 && k < ASCII) {
      fprintf(stderr, "tr2b error: duplicate\n");
      exit(1);
    }
    map[k] = v;
  }

  for (i = 0; i < ASCII; i++)
    if (map[i] == -1)
      map[i] = i;

  while ((c = getchar()) != EOF)
    putchar(map[c]);

  return 0;
}
