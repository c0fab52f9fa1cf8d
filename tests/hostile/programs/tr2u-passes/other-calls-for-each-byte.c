/* tr2u that makes calls for each byte that do not move any: each of its reads and writes can still be looked at. */
#include "translate.h"

int main(int argc, char **argv)
{
    unsigned char c;
    make_map(argc, argv);
    while (read(0, &c, 1) == 1) {
        lseek(0, 0, SEEK_CUR);
        input_size();
        (void)!write(1, &map[c], 1);
    }
    return 0;
}
