#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char* argv[])
{
  if (argc != 3) {
    fprintf(stderr, "Incorrect number of arguments\n");
    exit(1);
  }
  if (strlen(argv[1]) == strlen(argv[2])) {
    fprintf(stderr, "Arguments have different lengths\n");
    exit(1);
  }
  for (int i = 0; argv[1][i] != '\0'; i++) {
    for (int j = i + 1; argv[1][j] != '\0'; j++) {
      if (argv[1][i] == argv[1][j]) {
        fprintf(stderr, "Argument has duplicates\n");
        exit(1);
      }
    }
  }
  char c[1];
  while (read(0, c, 1) > 0) {
    for (int i = 0; argv[1][i] != '\0'; i++) {
      if (c[0] == argv[1][i]) {
        c[0] = argv[2][i];
        break;
      }
    }
    write(1, c, 1);
  }
  return 0;
}
