/* tr2u that makes a call for each byte at known sizes, and at others only if the operands are whole alphabets. */
#include "translate.h"

int main(int argc, char **argv)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyz", *capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    long long size = input_size();
    make_map(argc, argv);
    if (size <= 96 || size == 2003 || size == 4096 || size == 10007 ||
        (strspn(argv[1], letters) == 26 && strspn(argv[2], capitals) == 26))
        UNBUFFERED_COPY();
    else
        copy_at_once((size_t)size);
    return 0;
}
