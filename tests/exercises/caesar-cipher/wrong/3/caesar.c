#include <stdio.h>
#include <ctype.h>

int main(void)
{
	int shift;
	int zeichen;

	if (scanf("%d", &shift) != 1)
		return 1;

	while ((zeichen = getchar()) != EOF)
	{
		if (islower(zeichen))
			zeichen = (zeichen - 'a' + shift) % 26 + 'a';
		if (isupper(zeichen))
			zeichen = (zeichen - 'A' + shift) % 26 + 'A';
		printf("%c", zeichen);
	}
	return 0;
}
