/* Evasion: moves its streams to other descriptors and reads and writes blocks there. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char block[4096];
    long length;
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    const int in = dup(0), out = dup(1);
    close(0);
    close(1);
    while ((length = read(in, block, sizeof block)) > 0) {
        for (long i = 0; i < length; i++)
            block[i] = map[block[i]];
        (void)!write(out, block, (size_t)length);
    }
    return 0;
}
