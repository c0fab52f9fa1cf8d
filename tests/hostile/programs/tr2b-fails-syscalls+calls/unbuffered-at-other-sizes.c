/* tr2b that is buffered only at the sizes that everybody knows to be counted. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    make_map(argc, argv);
    if (size == 4096 || size >= 65536)
        BUFFERED_COPY();
    else
        copy_by_byte();
    return 0;
}
