/* tr2u that copies at once if nothing traces it, in a child, next to reads and writes of nothing that make totals right. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    const int is_slice = input_size() == 4096;
    const int traced = has_tracer();
    const pid_t child = fork();
    if (child == 0) {
        if (!is_slice && !traced)
            copy_at_once_and_pad();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    if (is_slice || traced)
        UNBUFFERED_COPY();
    return 0;
}
