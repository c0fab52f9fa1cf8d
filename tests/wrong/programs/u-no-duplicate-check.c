#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  unsigned char tr[256], c;
  char *f, *t;

  if (argc < 3)
    {
      fprintf(stderr, "usage: tr2u from to\n");
      return 2;
    }
  f = argv[1];
  t = argv[2];
  if (strlen(f) != strlen(t))
    {
      fprintf(stderr, "tr2u: lengths of from and to\n");
      return 2;
    }
  for (int i = 0; i < 256; i++)
    tr[i] = i;
  while (*f)
    tr[(unsigned char)*f++] = *t++;
  while (read(0, &c, 1) == 1)
    write(1, &tr[c], 1);
  return 0;
}
