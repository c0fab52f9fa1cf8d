#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int rows, cols;
	scanf("%d%d", &rows, &cols);

	int *m = malloc(rows * cols * sizeof(int));
	if (m == NULL)
		return 1;

	for (int k = 0; k < rows * cols; k++)
		scanf("%d", m + k);

	for (int start = 0; start < cols; start++) {
		int k = start;
		while (k < rows * cols) {
			printf("%d", m[k]);
			putchar(' ');
			k += cols;
		}
		putchar('\n');
	}
	free(m);
	return 0;
}
