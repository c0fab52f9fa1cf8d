#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char *from;
unsigned char *to;
int n;

int lookup(int c)
{
	int i;
	for (i = 0; i < n; i++);
	{
		if (i < n && from[i] == c)
			return to[i];
	}
	return c;
}

int main(int argc, char **argv)
{
	int c, i, j;

	if (argc - 1 < 2) {
		fprintf(stderr, "usage: tr2b FROM TO\n");
		exit(1);
	}
	from = (unsigned char *)argv[1];
	to = (unsigned char *)argv[2];
	n = strlen(argv[1]);
	if (n != strlen(argv[2])) {
		fprintf(stderr, "tr2b: FROM and TO differ in length\n");
		exit(1);
	}
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			if (from[i] == from[j]) {
				fprintf(stderr, "tr2b: FROM has duplicates\n");
				exit(1);
			}
	while ((c = getchar()) != EOF)
		putchar(lookup(c));
	return 0;
}
