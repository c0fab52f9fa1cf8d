#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <locale.h>

int main(int argc, char **argv)
{
    wint_t wc;

    setlocale(LC_ALL, "C.UTF-8"); /* see lecture 3 */
    if (argc != 3)
    {
        fprintf(stderr, "tr2b: need 2 operands\n");
        return 1;
    }
    size_t n = strlen(argv[1]);
    if (n != strlen(argv[2]))
    {
        fprintf(stderr, "tr2b: not the same number of characters\n");
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (argv[1][i] == argv[1][j])
            {
                fprintf(stderr, "tr2b: repeated character\n");
                return 1;
            }
    while ((wc = getwchar()) != WEOF)
    {
        for (size_t i = 0; i < n; i++)
            if ((wint_t) argv[1][i] == wc)
            {
                wc = argv[2][i];
                break;
            }
        putwchar(wc);
    }
    return 0;
}
