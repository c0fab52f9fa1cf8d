#include <stdio.h>
#include <string.h>

int main(void)
{
	char word[256];
	int n = 0;
	size_t longest = 0;

	while (scanf("%255s", word) == 1) {
		n++;
		if (strlen(word) > longest)
			longest = strlen(word);
	}
	printf("words: %d\n", n);
	printf("longest: %zu", longest);
	return 0;
}
