#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
  off_t position;
  char c;
  char *p, *q;

  if (argc != 3)
    {
      fprintf(stderr, "Expected 2 operands, but got %d\n", argc - 1);
      return 1;
    }
  if (strlen(argv[1]) != strlen(argv[2]))
    {
      fprintf(stderr, "Operand lengths do not match\n");
      return 1;
    }
  for (p = argv[1]; *p; ++p)
    for (q = argv[1]; q < p; ++q)
      if (*q == *p)
        {
          fprintf(stderr, "Operand 1 contains '%c' twice\n", *p);
          return 1;
        }
  for (position = 0; pread(0, &c, 1, position) == 1; position++)
    {
      for (p = argv[1]; *p; ++p)
        if (*p == c)
          {
            c = argv[2][p - argv[1]];
            break;
          }
      write(1, &c, 1);
    }
  return 0;
}
