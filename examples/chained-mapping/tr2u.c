#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int i, j, n;
    unsigned char *from, *to, buf[1];

    if(argc != 3){
        fprintf(stderr, "Usage: ./tr2u from to\n");
        exit(EXIT_FAILURE);
    }
    n = strlen(argv[1]);
    if(n != (int)strlen(argv[2])){
        fprintf(stderr, "ERROR: from and to need to be of equal length!\n");
        exit(EXIT_FAILURE);
    }
    from = (unsigned char *)argv[1];
    to = (unsigned char *)argv[2];

    for(i = 1; i < n; i++){
        for(j = 0; j < i; j++){
            if(from[i] == from[j]){
                fprintf(stderr, "ERROR: from has the same byte more than once!\n");
                exit(EXIT_FAILURE);
            }
        }
    }

    while(read(0, buf, 1) > 0){
        for(i = 0; i < n; i++){
            if(buf[0] == from[i])
                buf[0] = to[i];
        }
        if(write(1, buf, 1) == -1){
            perror("ERROR: write");
            exit(EXIT_FAILURE);
        }
    }
    exit(EXIT_SUCCESS);
}
