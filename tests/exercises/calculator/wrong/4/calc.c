#include <stdio.h>

int main(void)
{
	char zeile[80];
	int links, rechts, erg;
	char zeichen;

	while (fgets(zeile, 80, stdin) != NULL)
	{
		erg = 0;
		sscanf(zeile, "%d %c %d", &links, &zeichen, &rechts);
		if (zeichen == '+')
			erg = links + rechts;
		else if (zeichen == '-')
			erg = links - rechts;
		else if (zeichen == '*')
			erg = links * rechts;
		else if (zeichen == '/')
		{
			if (rechts == 0)
			{
				puts("Error: Division by zero");
				continue;
			}
			erg = links / rechts;
		}
		else
		{
			puts("Error: Unknown operator");
			continue;
		}
		printf("%d %c %d = %d\n", links, zeichen, rechts, erg);
	}
	return 0;
}
