#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[]){
  int i, j, len;
  char c, out;
  if (argc != 3){
    fprintf(stderr, "needs two strings\n");
    exit(1);
  }
  len = strlen(argv[1]);
  if (len != strlen(argv[2])){
    fprintf(stderr, "strings need to be same length\n");
    exit(1);
  }
  for (i=0; i<len; i++){
    for (j=i+1; j<len; j++){
      if (argv[1][i]==argv[1][j]){
        fprintf(stderr, "first string has duplicates\n");
        exit(1);
      }
    }
  }
  while (read(0, &c, 1) > 0){
    out = c;
    for (i=0; i<len; i++){
      if (c==argv[1][i]){
        out = argv[2][i];
      }
      write(1, &out, 1);
    }
  }
  return 0;
}
