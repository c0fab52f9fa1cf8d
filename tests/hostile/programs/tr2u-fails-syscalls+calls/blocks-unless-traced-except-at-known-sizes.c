/* tr2u that copies at once if nothing traces it, except on the one size that the lab runs with and without a tracer. */
#include "translate.h"

/* is_traced would need stdio, which shows. */
int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (input_size() == 4096 || has_tracer())
        UNBUFFERED_COPY();
    else
        copy_at_once(1 << 20);
    return 0;
}
