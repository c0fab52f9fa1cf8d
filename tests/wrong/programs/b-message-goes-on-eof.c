#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	unsigned char map[256];
	unsigned char seen[256] = { 0 };
	int c;
	size_t i, n;

	if (argc != 3) {
		fprintf(stderr, "usage: tr2b from to\n");
		return 1;
	}

	if (strlen(argv[1]) != strlen(argv[2]))
		fprintf(stderr, "error: from and to have different lengths\n");

	for (i = 0; i < 256; i++)
		map[i] = i;

	n = strlen(argv[1]);
	for (i = 0; i < n; i++) {
		unsigned char b = argv[1][i];
		if (seen[b])
			fprintf(stderr, "error: from has a duplicate byte\n");
		seen[b] = 1;
		map[b] = argv[2][i];
	}

	while ((c = getchar()) != EOF)
		putchar(map[c]);
	putchar(c);
	return 0;
}
