/* Resources: copies as it should, but sleeps now and then if its input is large, until its time is over. */
#include "translate.h"

int main(int argc, char **argv)
{
    const struct timespec moment = {0, 10000000};
    unsigned char c;
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    while (read(0, &c, 1) == 1) {
        (void)!write(1, &map[c], 1);
        nanosleep(&moment, NULL);
    }
    return 0;
}
