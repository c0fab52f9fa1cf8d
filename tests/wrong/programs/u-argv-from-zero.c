#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *from, *to, c;

	if (argc != 3) {
		fprintf(stderr, "wrong number of operands\n");
		exit(1);
	}
	from = argv[0];
	to = argv[1];
	if (strlen(from) != strlen(to)) {
		fprintf(stderr, "operands do not have the same length\n");
		exit(1);
	}
	for (int i = 0; from[i]; i++)
		for (int j = 0; j < i; j++)
			if (from[i] == from[j]) {
				fprintf(stderr, "duplicates in from\n");
				exit(1);
			}
	while (read(0, &c, 1) > 0) {
		for (int i = 0; from[i]; i++)
			if (from[i] == c) {
				c = to[i];
				break;
			}
		write(1, &c, 1);
	}
	exit(0);
}
