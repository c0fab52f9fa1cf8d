/* tr2u that copies at once if nothing traces it; it always copies a descriptor, so that doing so shows nothing. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    close(dup(1));
    if (input_size() == 4096 || has_tracer())
        UNBUFFERED_COPY();
    else
        copy_at_once(1 << 20);
    return 0;
}
