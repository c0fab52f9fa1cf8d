#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
  if (argc != 3)
  {
    fprintf(stderr, "error: two operands\n");
    exit(1);
  }

  int n = strlen(argv[1]);

  if (n != strlen(argv[2]))
  {
    fprintf(stderr, "error: operand lengths\n");
    exit(1);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (argv[1][i] == argv[1][j])
      {
        fprintf(stderr, "error: duplicate operand bytes\n");
        exit(1);
      }

  unsigned char *table = malloc(n);
  unsigned char c;

  for (int i = 0; i < n; i++)
    table[(unsigned char)argv[1][i]] = argv[2][i];

  while (read(0, &c, 1) > 0)
  {
    if (table[c] != 0)
      c = table[c];
    write(1, &c, 1);
  }
  free(table);
  return 0;
}
