#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "Error: wrong number of operands\n");
    exit(1);
  }

  char* from = argv[1];
  char* to = argv[2];
  int length = strlen(from);

  if (length != strlen(to)) {
    fprintf(stderr, "Error: operand lengths are not equal\n");
    exit(1);
  }

  int x;
  int y;
  for (x = 0; x < length; x++) {
    for (y = 0; y < x; y++) {
      if (from[x] == from[y]) {
        fprintf(stderr, "Error: from contains duplicates\n");
        exit(1);
      }
    }
  }

  char input[1];
  while (read(STDIN_FILENO, input, 1) > 0) {
    for (x = 0; x < length; x++) {
      if (input[0] == from[x]) {
        input[0] = to[x];
      }
    }
    write(STDOUT_FILENO, input, 1);
  }
  exit(0);
}
