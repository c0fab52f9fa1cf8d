/* Honest tr2b that says on standard error what it does with each byte of a short input. */
#include "translate.h"

int main(int argc, char **argv)
{
    const int is_short = input_size() < 65536;
    int c;
    make_map(argc, argv);
    while ((c = getchar()) != EOF) {
        if (is_short)
            fputc('.', stderr);
        putchar(map[c]);
    }
    return 0;
}
