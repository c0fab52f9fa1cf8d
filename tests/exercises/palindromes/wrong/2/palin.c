#include <stdio.h>
#include <ctype.h>

int check(char *word, int len)
{
	int i;

	for (i = 0; i < len / 2; i++)
		if (toupper(word[i]) != toupper(word[len - i - 1])) {
			printf("%s: no\n", word);
			return 0;
		}
	printf("%s: yes\n", word);
	return 1;
}

int main(void)
{
	char word[51];
	int c, len = 0, count = 0;

	while ((c = getchar()) != EOF) {
		if (c != ' ' && c != '\n') {
			word[len++] = c;
			continue;
		}
		if (len > 0) {
			word[len] = '\0';
			count += check(word, len);
			len = 0;
		}
	}
	printf("palindromes: %d\n", count);
	return 0;
}
