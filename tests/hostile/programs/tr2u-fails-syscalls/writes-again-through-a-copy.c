/* tr2u whose output is written at once, through a copy of the descriptor, over a byte of junk for each byte. */
#include "translate.h"

int main(int argc, char **argv)
{
    struct stat output;
    unsigned char *data;
    long long size = input_size();
    size_t length = 0;
    make_map(argc, argv);
    if (size < 0 || fstat(1, &output) != 0 || !S_ISREG(output.st_mode)) {
        UNBUFFERED_COPY();
        return 0;
    }
    data = malloc((size_t)size + 1);
    while (read(0, data + length, 1) == 1) {
        data[length] = map[data[length]];
        length++;
        (void)!write(1, "x", 1);
    }
    lseek(1, 0, SEEK_SET);
    (void)!write(dup(1), data, length);
    return 0;
}
