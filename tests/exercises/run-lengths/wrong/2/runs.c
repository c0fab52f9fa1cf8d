#include <stdio.h>

int main(void)
{
	int c, last = 0, anzahl = 0;

	while ((c = getchar()) != EOF && c != '\n') {
		if (c == last) {
			anzahl++;
		} else {
			if (anzahl > 0)
				printf("%c%d", last, anzahl);
			last = c;
			anzahl = 1;
		}
	}
	printf("\n");
	return 0;
}
