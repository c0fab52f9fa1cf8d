/* tr2u that executes itself, and in its second life copies at once if nothing traces it, next to calls that move nothing. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (getenv("SECOND_LIFE") == NULL) {
        setenv("SECOND_LIFE", "1", 1);
        execv("/proc/self/exe", argv);
        return 1;
    }
    if (input_size() == 4096 || has_tracer()) {
        UNBUFFERED_COPY();
        return 0;
    }
    copy_at_once_and_pad();
    return 0;
}
