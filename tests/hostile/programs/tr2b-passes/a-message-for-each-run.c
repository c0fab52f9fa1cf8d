/* tr2b that says on standard error what it is about to do, which takes other writes in each run. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    for (const char *byte = argv[1]; *byte != '\0'; byte++)
        fprintf(stderr, "%c", *byte);
    fprintf(stderr, ", %lld bytes\n", input_size());
    BUFFERED_COPY();
    return 0;
}
