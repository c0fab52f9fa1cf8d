#include <stdio.h>
#include <string.h>
#include <stdlib.h>

static long count;

int main(int argc, char **argv)
{
  int ch;
  char *f, *t, *p;

  if (argc != 3)
    {
      fprintf(stderr, "operands?\n");
      exit(64);
    }
  f = argv[1];
  t = argv[2];
  if (strlen(f) != strlen(t))
    {
      fprintf(stderr, "lengths?\n");
      exit(65);
    }
  for (p = f; *p; p++)
    if (strrchr(f, *p) != p)
      {
        fprintf(stderr, "duplicates?\n");
        exit(66);
      }
  while ((ch = getchar()) != EOF)
    {
      count++;
      p = memchr(f, ch, strlen(f));
      putchar(p == NULL ? ch : t[p - f]);
    }
  printf("\n%ld bytes copied\n", count);
  return 0;
}
