#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char c;
	unsigned i, len;

	if (argc != 3) {
		fprintf(stderr, "tr2u: exactly two operands\n");
		exit(1);
	}
	len = strlen(argv[1]);
	if (len != strlen(argv[2])) {
		fprintf(stderr, "tr2u: equal lengths\n");
		exit(1);
	}
	for (i = 0; i < len; i++)
		if (memchr(argv[1] + i + 1, argv[1][i], len - i - 1)) {
			fprintf(stderr, "tr2u: unique bytes\n");
			exit(1);
		}
	while (read(STDIN_FILENO, &c, 1) == 1) {
		for (i = 0; i < len; i++)
			if (argv[1][i] == c) {
				c = argv[2][i];
				break;
			}
		write(STDOUT_FILENO, &c, 1);
		usleep(1); /* give the terminal some time */
	}
	return 0;
}
