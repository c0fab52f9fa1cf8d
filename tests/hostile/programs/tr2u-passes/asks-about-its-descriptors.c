/* tr2u that asks for the flags of its descriptors, and copies another one. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (fcntl(0, F_GETFL) < 0 || fcntl(1, F_GETFD) < 0)
        return 1;
    close(dup(2));
    UNBUFFERED_COPY();
    return 0;
}
