#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char table[256];
	char *tbl = table;
	int i, j;
	unsigned char c;

	if (argc != 3) {
		fprintf(stderr, "tr2u: there must be two operands\n");
		exit(1);
	}
	if (strlen(argv[1]) != strlen(argv[2])) {
		fprintf(stderr, "tr2u: both operands must have the same length\n");
		exit(1);
	}
	for (i = 0; i < 256; i++)
		tbl[i] = i;
	for (i = 0; argv[1][i]; i++) {
		for (j = i + 1; argv[1][j]; j++) {
			if (argv[1][i] == argv[1][j]) {
				fprintf(stderr, "tr2u: bytes must be unique\n");
				exit(1);
			}
		}
		tbl[(unsigned char)argv[1][i]] = argv[2][i];
	}
	while (read(0, &c, 1) > 0)
		write(1, &tbl[c], 1);
	free(tbl);
	return 0;
}
