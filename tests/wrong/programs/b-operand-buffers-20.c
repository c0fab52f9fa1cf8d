#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
	char from[20];
	char to[20];
	int c, i, j, n;

	strcpy(from, argv[1]);
	strcpy(to, argv[2]);
	n = strlen(from);
	if (n != strlen(to)) {
		fprintf(stderr, "tr2b: length error\n");
		exit(1);
	}
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			if (from[i] == from[j]) {
				fprintf(stderr, "tr2b: duplicate error\n");
				exit(1);
			}
	while ((c = getchar()) != EOF) {
		for (i = 0; i < n; i++)
			if ((char)c == from[i]) {
				c = to[i];
				break;
			}
		putchar(c);
	}
	return 0;
}
