#include <stdio.h>

int main(void)
{
	char zeile[256];
	int len;
	int i;

	while (fgets(zeile, 256, stdin) != NULL)
	{
		/* find the end */
		len = 0;
		while (zeile[len] != '\n' && zeile[len] != '\0')
		{
			len++;
		}
		for (i = len - 1; i > 0; i--)
		{
			printf("%c", zeile[i]);
		}
		printf("\n");
	}
	return 0;
}
