#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  int c, i, j, len;
  char *from, *to;

  if(argc!=3){
    fprintf(stderr,"Wrong number of arguments.\n");
    exit(1);
  }
  from=argv[1];
  to=argv[2];
  len=strlen(from);
  if(len!=strlen(to)){
    fprintf(stderr,"Lengths are not equal.\n");
    exit(1);
  }
  for(i=0;i<len;i++){
    for(j=0;j<len;j++){
      if(i!=j && from[i]==from[j]){
        fprintf(stderr,"Duplicate bytes.\n");
        exit(1);
      }
    }
  }

  while((c=getchar())!=EOF){
    int out=c;
    for(i=0;i<len;i++){
      if(c==from[i])
        out=to[i];
    }
    putchar(out);
  }
  exit(0);
}
