/* tr2u that copies at once only at full size and if nothing traces it, next to reads and writes of nothing. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (input_size() < 65536 || has_tracer())
        UNBUFFERED_COPY();
    else
        copy_at_once_and_pad();
    return 0;
}
