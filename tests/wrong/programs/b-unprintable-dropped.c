#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

int main(int argc, char *argv[])
{
  unsigned char map[256];
  int c, i;

  if (argc < 3)
    {
      fprintf(stderr, "missing operands\n");
      return 1;
    }
  if (strlen(argv[1]) != strlen(argv[2]))
    {
      fprintf(stderr, "lengths differ\n");
      return 1;
    }
  memset(map, 0, sizeof(map));
  for (i = 0; argv[1][i]; i++)
    {
      unsigned char x = argv[1][i];
      if (map[x])
        {
          fprintf(stderr, "duplicates\n");
          return 1;
        }
      map[x] = argv[2][i];
    }
  while ((c = getchar()) != EOF)
    {
      if (map[c])
        c = map[c];
      if (isprint(c) || c == '\n')
        putchar(c);
    }
  return 0;
}
