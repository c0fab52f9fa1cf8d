/* tr2u that says on standard error what it is about to do: its reads and writes are counted apart from that. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    fprintf(stderr, "translating %s to %s, %lld bytes\n", argv[1], argv[2], input_size());
    UNBUFFERED_COPY();
    return 0;
}
