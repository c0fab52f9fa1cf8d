/* tr2u that reads at once by another descriptor if nothing traces it, next to one-byte reads at the end of its input. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char c;
    make_map(argc, argv);
    if (input_size() == 4096 || has_tracer()) {
        UNBUFFERED_COPY();
        return 0;
    }
    unsigned char *data = malloc(1 << 20);
    const ssize_t length = read(open("/dev/stdin", O_RDONLY), data, 1 << 20);
    lseek(0, 0, SEEK_END);
    for (ssize_t i = 0; i < length; i++) {
        (void)!read(0, &c, 1);
        (void)!write(1, &map[data[i]], 1);
    }
    return 0;
}
