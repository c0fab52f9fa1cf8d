#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
   int i, j, n;
   unsigned char c, d;
   if (argc < 3 || argc > 3)
   {
      fprintf(stderr, "wrong arguments\n");
      exit(1);
   }
   n = strlen(argv[1]);
   if (n != (int)strlen(argv[2]))
   {
      fprintf(stderr, "wrong lengths\n");
      exit(1);
   }
   for (i = 0; i < n; i++)
      for (j = i + 1; j < n; j++)
         if (argv[1][i] == argv[1][j])
         {
            fprintf(stderr, "wrong from\n");
            exit(1);
         }
   while (read(0, &c, 1) > 0)
   {
      d = c;
      for (i = 0; i < n; i++)
         if (c == (unsigned char)argv[1][i])
            d = argv[2][i];
      write(2, &d, 1);
   }
   exit(0);
}
