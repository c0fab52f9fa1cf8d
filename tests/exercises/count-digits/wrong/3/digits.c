#include <stdio.h>

int zaehler[10];   /* global, so 0 */

int main()
{
	int zeichen;
	int gesamt = 0;
	int k;

	zeichen = getchar();
	while (zeichen != EOF)
	{
		if ('0' <= zeichen && zeichen <= '9')
		{
			zaehler[zeichen - '0']++;
		}
		zeichen = getchar();
	}
	for (k = 0; k <= 9; k++)
	{
		gesamt += zaehler[k];
		printf("%d%c", zaehler[k], k < 9 ? ' ' : '\n');
	}
	printf("digits: %d", gesamt);
	return 0;
}
