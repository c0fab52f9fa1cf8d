#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
   int n, i, j;
   int c;
   if (!(argc == 3))
   {
      fprintf(stderr, "you need 2 arguments\n");
      exit(EXIT_FAILURE);
   }
   n = (int)strlen(argv[1]);
   if (n != (int)strlen(argv[2]))
   {
      fprintf(stderr, "lengths not the same\n");
      exit(1);
   }
   for (i = 0; i < n - 1; i++)
   {
      for (j = i + 1; j < n; j++)
      {
         if (argv[1][i] == argv[1][j])
         {
            fprintf(stderr, "duplicate bytes in from\n");
            exit(1);
         }
      }
   }
   while ((c = getchar()) != EOF)
   {
      for (i = 0; i < n - 1; i++)
      {
         if (c == (unsigned char)argv[1][i])
         {
            c = (unsigned char)argv[2][i];
            break;
         }
      }
      putchar(c);
   }
   return 0;
}
