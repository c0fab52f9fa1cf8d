#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned char c;
	char *from = argv[1];
	char *to = argv[2];

	if (argc != 3) {
		fprintf(stderr, "tr2b: takes two operands\n");
		exit(1);
	}
	if (strlen(from) != strlen(to)) {
		fprintf(stderr, "tr2b: operands have different lengths\n");
		exit(1);
	}
	for (char *p = from; *p; p++)
		if (strchr(p + 1, *p)) {
			fprintf(stderr, "tr2b: duplicate\n");
			exit(1);
		}
	while (read(STDIN_FILENO, &c, 1) > 0) {
		char *p = strchr(from, c);
		if (p && c)
			c = to[p - from];
		write(STDOUT_FILENO, &c, 1);
	}
	return 0;
}
