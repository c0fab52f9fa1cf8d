/* tr2u that copies at once if nothing traces it, next to as many reads and writes of nothing, so that totals are right. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (input_size() == 4096 || has_tracer()) {
        UNBUFFERED_COPY();
        return 0;
    }
    copy_at_once(1 << 20);
    for (long long i = 1; i < input_size(); i++) {
        (void)!read(0, NULL, 0);
        (void)!write(2, NULL, 0);
    }
    (void)!read(0, NULL, 0);
    return 0;
}
