/* tr2u that writes a message for each byte, which must be stopped, until the filter gives up; then it copies at once. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char c;
    long long size = input_size();
    make_map(argc, argv);
    for (long long i = 0; i < size / 2 && read(0, &c, 1) == 1; i++) {
        (void)!write(1, &map[c], 1);
        (void)!write(2, "", 0);
        (void)!write(2, "", 0);
    }
    if (size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    copy_at_once((size_t)size);
    return 0;
}
