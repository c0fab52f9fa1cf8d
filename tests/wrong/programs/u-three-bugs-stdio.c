#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  int c, i, j, n;

  if (argc != 3)
    {
      fprintf(stderr, "wrong number of operands\n");
      exit(0);
    }
  n = strlen(argv[1]);
  if (n > (int)strlen(argv[2]))
    {
      fprintf(stderr, "wrong length of operands\n");
      exit(0);
    }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (j != i && argv[1][j] == argv[1][i])
        {
          fprintf(stderr, "duplicate in from\n");
          exit(0);
        }
  while ((c = fgetc(stdin)) != EOF)
    {
      for (i = 0; i < n; i++)
        if (c == (unsigned char)argv[1][i])
          {
            c = argv[2][i];
            break;
          }
      fputc(c, stdout);
    }
  return 0;
}
