/* tr2b that knows strace by the name of its parent. */
#include "translate.h"

int main(int argc, char **argv)
{
    char path[64];
    make_map(argc, argv);
    snprintf(path, sizeof path, "/proc/%d/comm", (int)getppid());
    if (file_has(path, "strace"))
        BUFFERED_COPY();
    else
        copy_by_byte();
    return 0;
}
