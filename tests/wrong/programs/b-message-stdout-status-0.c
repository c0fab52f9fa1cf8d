#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[]){
   int i,j,c;
   unsigned char tab[256];

   if(argc!=3){
      puts("Usage: ./tr2b from to");
      return 0;
   }
   int l1=strlen(argv[1]);
   int l2=strlen(argv[2]);
   if(l1!=l2){
      puts("from and to should have the same number of characters");
      return 0;
   }
   for(i=0;i<l1;i++)
      for(j=i+1;j<l1;j++)
         if(argv[1][i]==argv[1][j]){
            puts("from should not have duplicate characters");
            return 0;
         }

   for(i=0;i<256;i++) tab[i]=i;
   for(i=0;i<l1;i++) tab[(unsigned char)argv[1][i]]=argv[2][i];

   while((c=getchar())!=EOF) putchar(tab[c]);
   return 0;
}
