#include <stdio.h>

float umrechnen(int c)
{
	return c * 9.0 / 5 + 32;
}

int main(void)
{
	int von, bis, schritt;
	int i;

	scanf("%d", &von);
	scanf("%d", &bis);
	scanf("%d", &schritt);

	printf("C F\n");
	for (i = von; i <= bis; i++)
	{
		printf("%d %.1f\n", i, umrechnen(i));
	}
	return 0;
}
