#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  char buf[2];
  size_t i, j;

  if (argc != 3)
    {
      fprintf(stderr, "operands: from to\n");
      exit(1);
    }
  if (strlen(argv[1]) != strlen(argv[2]))
    {
      fprintf(stderr, "operands: not of the same length\n");
      exit(1);
    }
  for (i = 0; i < strlen(argv[1]); i++)
    for (j = i + 1; j < strlen(argv[1]); j++)
      if (argv[1][i] == argv[1][j])
        {
          fprintf(stderr, "operands: duplicate\n");
          exit(1);
        }

  while (read(0, buf, sizeof(buf)) > 0)
    {
      for (i = 0; i < strlen(argv[1]); i++)
        if (buf[0] == argv[1][i])
          {
            buf[0] = argv[2][i];
            break;
          }
      write(1, buf, sizeof(buf));
    }
  return 0;
}
