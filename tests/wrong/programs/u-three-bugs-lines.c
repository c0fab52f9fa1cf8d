#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char line[1000];
	int n = 0;
	char *p;

	if (argc != 3) {
		fprintf(stderr, "usage: tr2u from to\n");
		return 1;
	}
	if (strlen(argv[1]) != strlen(argv[2])) {
		fprintf(stderr, "tr2u: from and to of different lengths\n");
		return 1;
	}
	for (p = argv[1]; *p; p++)
		if (strchr(p + 1, *p)) {
			fprintf(stderr, "tr2u: duplicate in from\n");
			return 1;
		}

	while (read(0, &line[n], 1) == 1) {
		char c = line[n];
		p = memchr(argv[1], c, strlen(argv[1]));
		if (p)
			line[n] = argv[2][p - argv[1]];
		n++;
		if (c == '\n') {
			write(1, line, n);
			n = 0;
		}
	}
	return 0;
}
