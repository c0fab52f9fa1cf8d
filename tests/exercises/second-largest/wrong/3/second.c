#include <stdio.h>

int zahlen[1000];

int main(void)
{
	int n = 0, i, groesste, zweite;

	while (scanf("%d", &zahlen[n]) == 1)
		n++;

	groesste = zahlen[0];
	for (i = 1; i < n; i++)
		if (zahlen[i] > groesste)
			groesste = zahlen[i];

	zweite = -1000000;
	for (i = 0; i < n; i++)
		if (zahlen[i] > zweite && zahlen[i] < groesste)
			zweite = zahlen[i];

	printf("second largest: %d\n", zweite);
	return 0;
}
