/* tr2u that makes a call for each byte only at the sizes that everybody knows to be counted. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    make_map(argc, argv);
    if (size == 4096 || size >= 65536 || size <= 0)
        UNBUFFERED_COPY();
    else
        copy_at_once((size_t)size);
    return 0;
}
