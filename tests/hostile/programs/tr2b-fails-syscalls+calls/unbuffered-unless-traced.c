/* tr2b that makes a call for each byte if nothing traces it. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (is_traced())
        BUFFERED_COPY();
    else
        copy_by_byte();
    return 0;
}
