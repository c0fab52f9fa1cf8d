#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[])
{
  unsigned char table[256];
  int seen[256];
  int i, c;

  if (argc != 3)
  {
    fputs("tr2b: wrong number of arguments\n", stderr);
    return 2;
  }

  unsigned char *from = (unsigned char *)argv[1];
  unsigned char *to = (unsigned char *)argv[2];

  if (strlen(argv[1]) != strlen(argv[2]))
  {
    fputs("tr2b: arguments have different lengths\n", stderr);
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
      fputs("tr2b: repeated byte in first argument\n", stderr);
      return 2;
    }
    table[from[i]] = to[i];
  }

  /* do not keep anything back, so that the output shows at once */
  setvbuf(stdin, NULL, _IONBF, 0);
  setvbuf(stdout, NULL, _IONBF, 0);

  while ((c = getchar()) != EOF)
    putchar(table[c]);

  return 0;
}
