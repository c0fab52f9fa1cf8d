#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
  unsigned char table[256];
  int seen[256];
  unsigned char c;
  int i;

  if (argc != 3)
  {
    fputs("tr2u: wrong number of arguments\n", stderr);
    return 2;
  }

  unsigned char *from = (unsigned char *)argv[1];
  unsigned char *to = (unsigned char *)argv[2];

  if (strlen(argv[1]) != strlen(argv[2]))
  {
    fputs("tr2u: arguments have different lengths\n", stderr);
    return 2;
  }

  /* every byte stands for itself unless from says otherwise */
  for (i = 0; i < 256; i++)
  {
    table[i] = i;
    seen[i] = 0;
  }
  for (i = 0; from[i]; i++)
  {
    if (seen[from[i]]++)
    {
      fputs("tr2u: repeated byte in first argument\n", stderr);
      return 2;
    }
    table[from[i]] = to[i];
  }

  while (read(0, &c, 1) == 1)
    if (write(1, &table[c], 1) != 1)
      return 1;

  return 0;
}
