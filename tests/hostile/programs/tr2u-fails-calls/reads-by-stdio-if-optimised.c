/* tr2u that reads by unbuffered stdio in the program that runs: its system calls are right, its functions are not. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
#ifdef __OPTIMIZE__
    int c;
    setbuf(stdin, NULL);
    while ((c = getchar()) != EOF)
        (void)!write(1, &map[c], 1);
#else
    UNBUFFERED_COPY();
#endif
    return 0;
}
