#include <stdlib.h>
#include <stdio.h>
#include <string.h>

int
main (int argc, char **argv)
{
  unsigned char conv[256];
  int present[256];
  int i, c;

  if (argc < 2)
    {
      fprintf (stderr, "tr2b: too few operands\n");
      exit (2);
    }

  if (strlen (argv[1]) != strlen (argv[2]))
    {
      fprintf (stderr, "tr2b: operands of different length\n");
      exit (2);
    }

  for (i = 0; i < 256; i++)
    {
      conv[i] = i;
      present[i] = 0;
    }

  for (i = 0; argv[1][i]; i++)
    {
      int k = argv[1][i] & 0xff;
      if (present[k])
        {
          fprintf (stderr, "tr2b: duplicate\n");
          exit (2);
        }
      present[k] = 1;
      conv[k] = argv[2][i];
    }

  while ((c = getc (stdin)) != EOF)
    putc (conv[c], stdout);

  return 0;
}
