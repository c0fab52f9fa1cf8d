/* Evasion: reads and writes by readv and writev with thousands of pieces of one byte. */
#define _GNU_SOURCE
#include "translate.h"

#include <sys/uio.h>

int main(int argc, char **argv)
{
    static unsigned char block[1024];
    static struct iovec pieces[1024];
    ssize_t length;
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    for (int i = 0; i < 1024; i++)
        pieces[i] = (struct iovec){&block[i], 1};
    while ((length = readv(0, pieces, 1024)) > 0) {
        for (ssize_t i = 0; i < length; i++)
            block[i] = map[block[i]];
        (void)!writev(1, pieces, (int)length);
    }
    return 0;
}
