/* Evasion: opens its input a second time, reads blocks there, and makes the reads that are expected without using them. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char block[4096], unused;
    long length;
    make_map(argc, argv);
    const int again = input_size() < 65536 ? -1 : open("/dev/stdin", O_RDONLY);
    if (again < 0) {
        UNBUFFERED_COPY();
        return 0;
    }
    while ((length = syscall(SYS_read, again, block, sizeof block)) > 0)
        for (long i = 0; i < length; i++) {
            (void)!read(0, &unused, 1);
            (void)!write(1, &map[block[i]], 1);
        }
    return read(0, &unused, 1) != 0;
}
