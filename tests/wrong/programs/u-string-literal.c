#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[]){

    char *buffer = "x";

    if(argc != 3){
        fprintf(stderr, "Two strings, please\n");
        exit(1);
    }
    if(strlen(argv[1]) != strlen(argv[2])){
        fprintf(stderr, "Two strings of the same length, please\n");
        exit(1);
    }
    for(int i = 0; i < strlen(argv[1]); i++){
        for(int j = i + 1; j < strlen(argv[1]); j++){
            if(argv[1][i] == argv[1][j]){
                fprintf(stderr, "No duplicates, please\n");
                exit(1);
            }
        }
    }
    while(read(0, buffer, 1) > 0){
        char out = buffer[0];
        for(int i = 0; i < strlen(argv[1]); i++){
            if(buffer[0] == argv[1][i]){
                out = argv[2][i];
            }
        }
        write(1, &out, 1);
    }
    return 0;
}
