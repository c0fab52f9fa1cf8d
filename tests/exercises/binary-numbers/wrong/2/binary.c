#include <stdio.h>
#include <string.h>
#include <math.h>

int main(void)
{
	char zahl[101];
	int i, n, summe, fehler, potenz;

	while (scanf("%s", zahl) == 1)
	{
		summe = 0;
		fehler = 0;
		potenz = 1;
		n = strlen(zahl);
		for (i = n - 1; i >= 0; i--)
		{
			if (zahl[i] != '0' || zahl[i] != '1')
				fehler = 1;
			if (zahl[i] == '1')
				summe = summe + potenz;
			potenz = potenz * 2;
		}
		if (fehler == 1)
			printf("invalid\n");
		else
			printf("%d\n", summe);
	}
	return 0;
}
