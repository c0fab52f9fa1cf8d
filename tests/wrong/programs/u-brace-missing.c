#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

int main(int argc, char *argv[]) {
	char b;
	if (argc != 3) {
		fprintf(stderr, "arguments\n");
		exit(1);
	}
	if (strlen(argv[1]) != strlen(argv[2])) {
		fprintf(stderr, "argument lengths\n");
		exit(1);
	}
	for (int i = 0; argv[1][i]; i++) {
		if (strchr(argv[1] + i + 1, argv[1][i])) {
			fprintf(stderr, "argument duplicates\n");
			exit(1);
		}
	}
	while (read(0, &b, 1) > 0) {
		for (int i = 0; argv[1][i]; i++) {
			if (argv[1][i] == b) {
				b = argv[2][i];
				break;
			}
		}
		write(1, &b, 1);
	return 0;
}
