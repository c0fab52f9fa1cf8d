/* Evasion: has the system's own tr do the work. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    if (input_size() < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    execlp("tr", "tr", argv[1], argv[2], (char *)NULL);
    return 1;
}
