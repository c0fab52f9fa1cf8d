#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IN 1
#define OUT 1

int main(int argc, char **argv)
{
	char ch;
	char *p;

	if (argc != 3) {
		fprintf(stderr, "usage: %s from to\n", argv[0]);
		return 1;
	}
	if (strlen(argv[1]) != strlen(argv[2])) {
		fprintf(stderr, "%s: %s and %s have different lengths\n", argv[0], argv[1], argv[2]);
		return 1;
	}
	for (p = argv[1]; *p; p++) {
		if (strchr(p + 1, *p)) {
			fprintf(stderr, "%s: duplicate '%c'\n", argv[0], *p);
			return 1;
		}
	}
	while (read(IN, &ch, 1) == 1) {
		p = ch ? strchr(argv[1], ch) : 0;
		if (p)
			ch = argv[2][p - argv[1]];
		write(OUT, &ch, 1);
	}
	return 0;
}
