#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char** argv) {
	if (argc == 3) {
		int len1 = strlen(argv[1]);
		int len2 = strlen(argv[2]);
		if (len1 != len2) { fprintf(stderr, "ERROR: sizes!\n"); exit(1); }
		for (int i = 0; i < len1; i++)
			for (int j = 0; j < len1; j++)
				if (i != j && argv[1][i] == argv[1][j]) {
					fprintf(stderr, "ERROR: duplicate!\n");
					exit(1);
				}
		char ch[1];
		int k;
		int status = read(0, ch, 1);
		while (status > 0) {
			for (k = 0; k < len1; k++) {
				if (ch[0] == argv[1][k]) {
					write(1, &argv[2][k], 1);
					break;
				}
			}
			if (k == len1) write(1, ch, 1);
			status = read(0, ch, 1);
		}
	} else {
		fprintf(stderr, "ERROR: operands!\n");
		exit(1);
	}
}
