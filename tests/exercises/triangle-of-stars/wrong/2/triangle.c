#include <stdio.h>
#include <string.h>

int main(void)
{
	char line[400] = "";
	int n, k = 0;

	if (scanf("%d", &n) != 1)
		return 1;

	if (n <= 0) {
		puts("nothing to draw");
		return 0;
	}

	while (k < n) {
		strcat(line, "*");
		strcat(line, " ");
		puts(line);
		k++;
	}
	return 0;
}
