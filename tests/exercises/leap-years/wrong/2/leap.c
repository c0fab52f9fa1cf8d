#include <stdio.h>

int main(void)
{
	int from, to;
	int any = 0;

	scanf("%d", &from);
	scanf("%d", &to);

	while (from <= to)
	{
		if ((from % 4 == 0 && from % 100 != 0) || from % 400 == 0)
		{
			printf("%d, ", from);
			any = 1;
		}
		from++;
	}
	if (!any)
		printf("none");
	printf("\n");
	return 0;
}
