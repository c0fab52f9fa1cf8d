#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* exits if a byte is in the operand more than once */
void check_operand(char *name, char *op)
{
	int used[256];
	memset(used, 0, sizeof used);
	for (; *op; op++) {
		if (used[(unsigned char) *op]) {
			fprintf(stderr, "duplicate byte in %s\n", name);
			exit(1);
		}
		used[(unsigned char) *op] = 1;
	}
}

int main(int argc, char *argv[])
{
	int c;

	if (argc != 3) {
		fprintf(stderr, "usage: %s from to\n", argv[0]);
		exit(1);
	}
	check_operand("from", argv[1]);
	check_operand("to", argv[2]);
	if (strlen(argv[1]) != strlen(argv[2])) {
		fprintf(stderr, "from and to differ in length\n");
		exit(1);
	}

	while ((c = fgetc(stdin)) != EOF) {
		int i = 0;
		while (argv[1][i]) {
			if (argv[1][i] == c) {
				c = argv[2][i];
				break;
			}
			i++;
		}
		fputc(c, stdout);
	}
	exit(0);
}
