/* tr2u that sleeps at full size until there is no time left, and hopes that the machine is blamed. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (input_size() >= 65536)
        pause();
    UNBUFFERED_COPY();
    return 0;
}
