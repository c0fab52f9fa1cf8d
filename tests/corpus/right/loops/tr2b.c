#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
		int ch, k;
		while (1) {
			ch = getchar();
			if (feof(stdin)) break;
			for (k = 0; k < len1; k++) {
				if (ch == (unsigned char) argv[1][k]) {
					putchar(argv[2][k]);
					break;
				}
			}
			if (k == len1) putchar(ch);
		}
	} else {
		fprintf(stderr, "ERROR: operands!\n");
		exit(1);
	}
}
