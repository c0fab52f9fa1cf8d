#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char* argv[])
{
	int table[256];
	char* from;
	char* to;
	int c;

	if (argc != 3) {
		fprintf(stderr, "tr2b: 2 operands are needed\n");
		return EXIT_FAILURE;
	}
	from = argv[1];
	to = argv[2];
	if (strlen(from) != strlen(to)) {
		fprintf(stderr, "tr2b: not the same length\n");
		return EXIT_FAILURE;
	}
	for (int i = 0; i < strlen(from); i++) {
		for (int j = i + 1; j < strlen(from); j++) {
			if (from[j] == from[i]) {
				fprintf(stderr, "tr2b: '%c' is in from twice\n", from[i]);
				return EXIT_FAILURE;
			}
		}
	}
	for (int i = 0; i < 256; i++) table[i] = i;
	for (int i = 0; i < strlen(from); i++) table[from[i]] = to[i];

	while ((c = getchar()) != EOF) putchar(table[c]);

	return EXIT_SUCCESS;
}
