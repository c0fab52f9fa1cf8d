/* tr2b that moves each byte of its output by a splice at full size if nothing traces it: the kernel does not count them. */
#define _GNU_SOURCE
#include "translate.h"

static unsigned char block[4096];

static void move(const int *ends, size_t length)
{
    syscall(SYS_write, ends[1], block, length);
    while (length-- > 0)
        syscall(SYS_splice, ends[0], NULL, 1, NULL, 1UL, 0);
}

int main(int argc, char **argv)
{
    size_t length = 0;
    int ends[2], c;
    make_map(argc, argv);
    if (input_size() < 65536 || has_tracer() || pipe(ends) != 0) {
        BUFFERED_COPY();
        return 0;
    }
    while ((c = getchar()) != EOF) {
        block[length++] = map[c];
        if (length == sizeof block) {
            move(ends, length);
            length = 0;
        }
    }
    move(ends, length);
    return 0;
}
