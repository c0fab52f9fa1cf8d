#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(int argc, char *argv[]){

	if(argc < 3){
		fprintf(stderr, "Error: not enough arguments\n");
		exit(1);
	}
	if(argc > 3){
		fprintf(stderr, "Error: too many arguments\n");
		exit(1);
	}

	unsigned char *from = (unsigned char *) argv[1];
	unsigned char *to = (unsigned char *) argv[2];
	int i, j;
	int length = strlen(argv[1]);

	if(length != strlen(argv[2])){
		fprintf(stderr, "Error: arguments are of different length\n");
		exit(1);
	}

	for(i = 0; i < length; i++){
		for(j = i + 1; j < length; j++){
			if(from[i] == from[j]){
				fprintf(stderr, "Error: duplicate characters\n");
				exit(1);
			}
		}
	}

	int c;
	while((c = getchar()) != EOF){
		for(i = 0; i < length; i++){
			if(c == from[i]){
				c = to[i];
				break;
			}else{
				break;
			}
		}
		putchar(c);
	}
	return 0;
}
