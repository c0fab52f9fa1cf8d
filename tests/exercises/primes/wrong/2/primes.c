#include <stdio.h>

/* sieve of Eratosthenes */
int main(void)
{
	int composite[1001] = {0};
	int n, i, k, number = 0;

	scanf("%d", &n);
	for (i = 2; i <= n; i++) {
		if (composite[i])
			continue;
		if (number > 0)
			putchar(' ');
		printf("%d", i);
		number++;
		for (k = 2 * i; k <= n; k += i)
			composite[k] = 1;
	}
	if (number)
		putchar('\n');
	printf("%d primes", number);
	return 0;
}
