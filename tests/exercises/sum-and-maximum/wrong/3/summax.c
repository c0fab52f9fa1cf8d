#include <stdio.h>

#define MAX_N 1000

int main(void)
{
	int a[MAX_N];
	int n = 0;
	int i, sum, max;

	printf("Enter numbers: ");
	while (n < MAX_N && scanf("%d", &a[n]) == 1)
		n++;

	if (n == 0) {
		puts("no numbers");
		return 0;
	}

	sum = 0;
	max = a[0];
	for (i = 0; i < n; i++) {
		sum += a[i];
		if (a[i] > max) max = a[i];
	}
	printf("sum: %d\n", sum);
	printf("max: %d\n", max);
	return 0;
}
