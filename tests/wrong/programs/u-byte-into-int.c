#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int c = EOF;
	int i, len;
	unsigned char *from, *to;

	if (argc != 3) {
		fprintf(stderr, "tr2u: wrong number of args\n");
		exit(1);
	}
	from = (unsigned char *)argv[1];
	to = (unsigned char *)argv[2];
	len = strlen(argv[1]);
	if (len != strlen(argv[2])) {
		fprintf(stderr, "tr2u: from and to aren't the same length\n");
		exit(1);
	}
	for (i = 0; i < len; i++) {
		if (memchr(from, from[i], i) != NULL) {
			fprintf(stderr, "tr2u: from has duplicate bytes\n");
			exit(1);
		}
	}
	while (read(0, &c, 1) > 0) {
		for (i = 0; i < len; i++) {
			if (c == from[i]) {
				c = to[i];
				break;
			}
		}
		write(1, &c, 1);
	}
	return 0;
}
