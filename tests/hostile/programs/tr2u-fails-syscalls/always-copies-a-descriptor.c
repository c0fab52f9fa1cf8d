/* tr2u that makes only right calls, but also copies a descriptor: nobody could see other calls on it without a tracer. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    close(dup(1));
    UNBUFFERED_COPY();
    return 0;
}
