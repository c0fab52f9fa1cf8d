#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
  char *from;
  char *to;
  int c;
  int i;
  int j;

  if (argc != 3)
  {
    fprintf(stderr, "error: two operands are required\n");
    return 1;
  }
  from = argv[1];
  to = argv[2];
  /* the lengths
     have to be
     the same */
  if (strlen(from) != strlen(to))
  {
    fprintf(stderr, "error: different lengths\n");
    return 1;
  }
  for (i = 0; i < strlen(from); i++)
  {
    for (j = i + 1; j < strlen(to); j++)
    {
      if (from[i] == to[j])
      {
        fprintf(stderr, "error: duplicates\n");
        return 1;
      }
    }
  }
  while ((c = getchar()) != EOF)
  {
    for (i = 0; i < strlen(from); i++)
    {
      if (c == (unsigned char)from[i])
      {
        c = (unsigned char)to[i];
        break;
      }
    }
    putchar(c);
  }
  return 0;
}
