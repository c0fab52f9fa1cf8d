#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmp(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(int argc, char **argv)
{
	int c;
	size_t i, len;

	if (argc != 3) {
		fprintf(stderr, "usage: tr2b from to\n");
		return 1;
	}
	len = strlen(argv[1]);
	if (len != strlen(argv[2])) {
		fprintf(stderr, "tr2b: operands must have same length\n");
		return 1;
	}
	/* after sorting, duplicates are neighbours */
	qsort(argv[1], len, 1, cmp);
	for (i = 1; i < len; i++) {
		if (argv[1][i] == argv[1][i - 1]) {
			fprintf(stderr, "tr2b: duplicate byte\n");
			return 1;
		}
	}
	while ((c = getchar()) != EOF) {
		unsigned char key = c;
		unsigned char *p = bsearch(&key, argv[1], len, 1, cmp);
		if (p)
			c = argv[2][p - (unsigned char *)argv[1]];
		putchar(c);
	}
	return 0;
}
