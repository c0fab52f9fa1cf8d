#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int fd, i, j;
  char c;

  if (argc != 3)
    {
      fprintf(stderr, "call it with from and to\n");
      exit(1);
    }
  if (strlen(argv[1]) != strlen(argv[2]))
    {
      fprintf(stderr, "call it with from and to of equal length\n");
      exit(1);
    }
  for (i = 0; argv[1][i]; i++)
    for (j = i + 1; argv[1][j]; j++)
      if (argv[1][i] == argv[1][j])
        {
          fprintf(stderr, "call it without duplicates\n");
          exit(1);
        }
  fd = open("input.txt", O_RDONLY);
  if (fd < 0)
    {
      perror("input.txt");
      exit(1);
    }
  while (read(fd, &c, 1) > 0)
    {
      for (i = 0; argv[1][i]; i++)
        if (c == argv[1][i])
          {
            c = argv[2][i];
            break;
          }
      write(1, &c, 1);
    }
  close(fd);
  return 0;
}
