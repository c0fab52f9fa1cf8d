#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[]) {
  char letter;
  int k, m;
  if (argc != 3) {
    fprintf(stderr, "there have to be two operands\n");
    exit(1);
  }
  for (k = 0; k < strlen(argv[1]); k++) {
    for (m = k + 1; m < strlen(argv[1]); m++) {
      if (argv[1][m] == argv[1][k]) {
        fprintf(stderr, "there can't be duplicates\n");
        exit(1);
      }
    }
  }
  if (strlen(argv[1]) != strlen(argv[2])) {
    fprintf(stderr, "the operands have to be the same length\n");
    exit(1);
  }
  while (read(STDIN_FILENO, &letter, 1) > 0) {
    for (k = 0; k < strlen(argv[1]); k++) {
      if (letter == argv[1][k]) {
        letter = argv[2][k];
        break;
      }
    }
    write(STDOUT_FILENO, &letter, 1);
    close(STDIN_FILENO);
  }
  return 0;
}
