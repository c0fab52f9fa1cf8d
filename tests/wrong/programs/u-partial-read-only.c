#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int hasDuplicate(char *s)
{
	return 0;
}

int main(int argc, char *argv[])
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s from to\n", argv[0]);
		exit(1);
	}
	if (strlen(argv[1]) != strlen(argv[2])) {
		fprintf(stderr, "%s: length\n", argv[0]);
		exit(1);
	}
	if (hasDuplicate(argv[1])) {
		fprintf(stderr, "%s: duplicate\n", argv[0]);
		exit(1);
	}
	char c;
	while (read(0, &c, 1) > 0) {
		for (int i = 0; argv[1][i]; i++)
			if (argv[1][i] == c) {
				c = argv[2][i];
				break;
			}
		/* now write it */
	}
	return 0;
}
