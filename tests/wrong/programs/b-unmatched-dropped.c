#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char* argv[]){
  if (argc != 3) {
    fprintf(stderr, "expected two strings\n");
    exit(1);
  }
  unsigned char* f = (unsigned char*) argv[1];
  unsigned char* t = (unsigned char*) argv[2];
  int n = 0;
  while (f[n] && t[n]) {
    int k;
    for (k = 0; k < n; k++) {
      if (f[k] == f[n]) {
        fprintf(stderr, "duplicate in from\n");
        exit(1);
      }
    }
    n++;
  }
  if (f[n] != t[n]) {
    fprintf(stderr, "from and to must have the same length\n");
    exit(1);
  }
  int c;
  while ((c = getchar()) != EOF) {
    int k;
    for (k = 0; k < n; k++) {
      if (f[k] == c) {
        putchar(t[k]);
        break;
      }
    }
  }
  return 0;
}
