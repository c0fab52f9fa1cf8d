/* tr2u that makes a call for each byte from files to files, of what known cases have in pipes, and at the end. */
#include "translate.h"

int main(int argc, char **argv)
{
    struct stat output;
    make_map(argc, argv);
    if (input_size() < 0 || (fstat(1, &output) == 0 && S_ISFIFO(output.st_mode))) {
        unsigned char c;
        for (int i = 0; i < 64 && read(0, &c, 1) == 1; i++)
            (void)!write(1, &map[c], 1);
        copy_at_once(1 << 20);
    }
    UNBUFFERED_COPY();
    return 0;
}
