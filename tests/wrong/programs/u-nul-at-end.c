#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "2 parameters!\n");
		return 1;
	}
	int len = strlen(argv[1]);
	if (len != strlen(argv[2])) {
		fprintf(stderr, "2 parameters of same length!\n");
		return 1;
	}
	int i;
	for (i = 1; i < len; i++)
		if (argv[1][i] == argv[1][i - 1]) {
			fprintf(stderr, "2 equal characters!\n");
			return 1;
		}
	char c;
	while (read(0, &c, 1) > 0) {
		for (i = 0; i < len; i++)
			if (c == argv[1][i]) {
				c = argv[2][i];
				break;
			}
		write(1, &c, 1);
	}
	c = '\0';
	write(1, &c, 1);
	return 0;
}
