/* tr2u that has a child and a shell do something else: what they do to the standard streams can still be looked at. */
#include "translate.h"

int main(int argc, char **argv)
{
    make_map(argc, argv);
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    if (system("true") != 0)
        return 1;
    UNBUFFERED_COPY();
    return 0;
}
