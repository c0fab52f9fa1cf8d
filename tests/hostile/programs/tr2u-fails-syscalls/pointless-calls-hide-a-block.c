/* tr2u whose calls on the slice promise too many stops, and that reads all at once next to an empty call a byte. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    make_map(argc, argv);
    if (size < 65536) {
        for (int i = 0; i < 400; i++)
            syscall(SYS_getppid);
        UNBUFFERED_COPY();
        return 0;
    }
    copy_at_once((size_t)size);
    for (long long i = 0; i < size; i++) {
        (void)!read(0, map, 0);
        if (i > 0)
            (void)!write(1, map, 0);
    }
    return 0;
}
