#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// handle \n, \t and double backslash
char *unescape(char *s)
{
  char *r = s, *w = s;
  while (*r) {
    if (*r == '\\' && r[1] == 'n') { *w++ = '\n'; r += 2; }
    else if (*r == '\\' && r[1] == 't') { *w++ = '\t'; r += 2; }
    else if (*r == '\\' && r[1] == '\\') { *w++ = '\\'; r += 2; }
    else *w++ = *r++;
  }
  *w = 0;
  return s;
}

int main(int argc, char **argv) {
  char c;
  if (argc < 3) {
    fprintf(stderr, "tr2u: 2 operands, please\n");
    return 1;
  }
  char *from = unescape(argv[1]);
  char *to = unescape(argv[2]);
  int len = strlen(from);
  if (len != strlen(to)) {
    fprintf(stderr, "tr2u: same length, please\n");
    return 1;
  }
  for (int i = 0; i < len; i++) {
    if (strchr(from + i + 1, from[i])) {
      fprintf(stderr, "tr2u: no duplicates, please\n");
      return 1;
    }
  }
  while (read(0, &c, 1) > 0) {
    char *p = memchr(from, c, len);
    if (p) c = to[p - from];
    write(1, &c, 1);
  }
  return 0;
}
