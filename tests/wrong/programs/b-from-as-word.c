#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *from, *to;
	int c, matched = 0, i, j;

	if (argc != 3) {
		fprintf(stderr, "Usage: tr2b from to\n");
		exit(1);
	}
	from = argv[1];
	to = argv[2];
	int len = strlen(from);
	if (len == 0 || len != strlen(to)) {
		fprintf(stderr, "tr2b: bad lengths\n");
		exit(1);
	}
	for (i = 0; i < len; i++)
		for (j = i + 1; j < len; j++)
			if (from[i] == from[j]) {
				fprintf(stderr, "tr2b: duplicate\n");
				exit(1);
			}

	while ((c = getchar()) != EOF) {
		if (c == (unsigned char)from[matched]) {
			matched++;
			if (matched == len) {
				for (i = 0; i < len; i++)
					putchar(to[i]);
				matched = 0;
			}
		} else {
			for (i = 0; i < matched; i++)
				putchar(from[i]);
			matched = 0;
			putchar(c);
		}
	}
	for (i = 0; i < matched; i++)
		putchar(from[i]);
	return 0;
}
