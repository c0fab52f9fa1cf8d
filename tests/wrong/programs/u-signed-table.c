#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char map[256];
	char c;
	int i, j;

	if (argc != 3) {
		fprintf(stderr, "tr2u: two operands\n");
		return 1;
	}
	if (strlen(argv[1]) != strlen(argv[2])) {
		fprintf(stderr, "tr2u: unequal operands\n");
		return 1;
	}
	for (i = 0; i < 256; i++)
		map[i] = i;
	for (i = 0; argv[1][i]; i++) {
		for (j = 0; j < i; j++)
			if (argv[1][i] == argv[1][j]) {
				fprintf(stderr, "tr2u: duplicate operand byte\n");
				return 1;
			}
		map[argv[1][i]] = argv[2][i];
	}
	while (read(0, &c, 1) > 0)
		write(1, &map[c], 1);
	return 0;
}
