/* Right: its own getchar calls getc_unlocked, and a macro writes with putc. */
#include "translate.h"

#define PUT(byte) putc(map[byte], stdout)

int getchar(void)
{
    return getc_unlocked(stdin);
}

int main(int argc, char **argv)
{
    int byte;

    make_map(argc, argv);
    while ((byte = getchar()) != EOF)
        PUT(byte);
    return 0;
}
