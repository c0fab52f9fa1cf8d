/* tr2b that is buffered at every size in the public spec. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    make_map(argc, argv);
    if (size <= 4096 || size == 10007 || size >= 65536)
        BUFFERED_COPY();
    else
        copy_by_byte();
    return 0;
}
