/* tr2u that sleeps for most of the time, and then copies: the run that is cut short is another one. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (input_size() == 4096)
        sleep(3);
    if (input_size() >= 65536)
        sleep(1);
    UNBUFFERED_COPY();
    return 0;
}
