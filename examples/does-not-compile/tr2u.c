#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
checkOperands(char *from, char *to)
{
  if (strlen(from) != strlen(to))
    {
      fprintf(stderr, "tr2u: operands are not of equal length\n");
      exit(1);
    }
  /* no byte may show up again further right */
  for (int i = 0; from[i] != '\0'; i++)
    for (int k = i + 1; from[k] != '\0'; k++)
      if (from[i] == from[k])
        {
          fprintf(stderr, "tr2u: byte %d of from is a duplicate\n", k);
          exit(1);
        }
}

int
main(int argc, char **argv)
{
  if (argc != 3)
    {
      fprintf(stderr, "tr2u: needs from and to\n");
      exit(1);
    }
  char *from = argv[1];
  char *to = argv[2];
  checkOperands(from, to);

  int length = strlen(from);
  char c;
  while (read(0, &c, 1) == 1)
    {
      int i = 0;
      while (i < length && from[i] != c)
        i++;
      if (write(1, i < length ? &to[i] : &c, 1) != 1)
        exit(1);
    }
  return 0;
}
