/* As before Linux 5.9. */
#include "without.h"

int main(int argc, char **argv)
{
    return run_without(SYS_close_range, argc, argv);
}
