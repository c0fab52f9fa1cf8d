#include <stdio.h>
#include <string.h>
#include <stdlib.h>

/* checks for duplicates in a string */
int dup(char *s) {
  int i, j;
  for (i = 0; s[i]; i++)
    for (j = i+1; s[j]; j++)
      if (s[i] == s[j]) return 1;
  return 0;
}

int main(int argc, char **argv) {
  char *from = argv[1];
  char *to = argv[2];

  if (strlen(from) != strlen(to)) {
    fprintf(stderr, "length error\n");
    exit(1);
  }
  if (dup(from)) {
    fprintf(stderr, "duplicate error\n");
    exit(1);
  }

  int c = getchar();
  while (c != EOF) {
    char *p = strchr(from, c);
    if (p != NULL && c != 0)
      putchar(to[p - from]);
    else
      putchar(c);
    c = getchar();
  }
  return 0;
}
