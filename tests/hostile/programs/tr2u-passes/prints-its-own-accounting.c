/* tr2u that prints what the kernel counted for it, which has another length at each size. */
#include "translate.h"

int main(int argc, char **argv)
{
    char text[4096];
    make_map(argc, argv);
    UNBUFFERED_COPY();
    int file = open("/proc/self/io", O_RDONLY);
    ssize_t length = read(file, text, sizeof text);
    if (length > 0)
        (void)!write(2, text, (size_t)length);
    return 0;
}
