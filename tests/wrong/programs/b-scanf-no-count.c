#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
	char ch;
	int i;

	char *from = argv[1];
	char *to = argv[2];
	if (strlen(from) != strlen(to)) {
		fprintf(stderr, "Error: length\n");
		return EXIT_FAILURE;
	}
	for (i = 0; i < strlen(from); i++)
		for (int j = i + 1; j < strlen(from); j++)
			if (from[i] == from[j]) {
				fprintf(stderr, "Error: duplicate\n");
				return EXIT_FAILURE;
			}

	while (scanf(" %c", &ch) == 1) {
		for (i = 0; i < strlen(from); i++)
			if (ch == from[i]) {
				ch = to[i];
				break;
			}
		putchar(ch);
	}
	return 0;
}
