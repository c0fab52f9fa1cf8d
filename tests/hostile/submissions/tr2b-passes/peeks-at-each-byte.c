/* Right: gives each byte back once before it takes it, and uses the functions that take a stream. */
#include "translate.h"

int main(int argc, char **argv)
{
    int byte;

    make_map(argc, argv);
    while ((byte = fgetc(stdin)) != EOF) {
        ungetc(byte, stdin);
        fputc(map[getc(stdin)], stdout);
    }
    return 0;
}
